#include "catch.hpp"
#include "rig.hpp"

#include <set>

/// Looking at records: find and list.

namespace onceward::contract {

using namespace guard;
using store::Detail;
using store::Reach;
using store::RecordQuery;
using test::claim_request;
using test::command;

namespace {

constexpr milliseconds brief{400};

ClaimRequest brief_request() {
    auto request = claim_request(1, 10);
    request.lifetimes = {brief, brief, brief, brief};
    return request;
}

std::optional<Record> look(Rig& rig, Detail detail, std::vector<std::string> routes = {"create-order"},
                           Reach reach = Reach::everywhere) {
    const auto found = rig.try_find({test::record_id(1), std::move(routes), reach, detail}, 2);
    REQUIRE(found.has_value());
    if (!*found) {
        return std::nullopt;
    }
    CHECK((*found)->id == test::record_id(1));
    return (*found)->record;
}

bool becomes(Rig& rig, const ClaimRequest& request, RecordState state) {
    return rig.eventually([&] {
        const auto record = rig.find(request);
        return record && record->state == state;
    });
}

/// Record `number` of `route`, in one of the four stored states.
void make_record(Rig& rig, std::uint64_t number, const std::string& route) {
    auto request = claim_request(number, 10);
    request.route = route;
    const auto claim = rig.win(request, number % Rig::loop_count);
    const std::vector<Action> endings{Renew{}, Complete{test::response()}, Fail{FailureKind::answered, "status:500"},
                                      MarkUnknown{"reset"}};
    rig.apply(command(request, claim, endings[number % endings.size()]));
}

std::set<RecordId> ids_of(const std::map<RecordId, store::ListedRecord>& listed) {
    std::set<RecordId> ids;
    for (const auto& [id, record] : listed) {
        ids.insert(id);
    }
    return ids;
}

template <typename Predicate>
std::set<RecordId> numbers_where(std::uint64_t count, Predicate fits) {
    std::set<RecordId> ids;
    for (std::uint64_t number = 1; number <= count; ++number) {
        if (fits(number)) {
            ids.insert(test::record_id(number));
        }
    }
    return ids;
}

}  // namespace

TEST_CASE("a record is shown with all that is known of it") {
    Rig rig;
    const auto request = claim_request(1, 10);
    CHECK_FALSE(look(rig, Detail::content));
    const auto claim = rig.win(request);
    auto record = look(rig, Detail::fields);
    REQUIRE(record);
    CHECK(to_text(record->state) == "PROCESSING");
    CHECK(record->route == "create-order");
    CHECK(record->owner == request.owner);
    CHECK(record->fence == claim.fence);
    CHECK(record->attempt.value == 1);
    CHECK(record->operation_id == claim.operation_id);
    CHECK(record->identity.parts == request.identity.parts);
    CHECK(record->identity.caller == request.identity.caller);
    CHECK(record->created_at == record->updated_at);
    CHECK(record->lease_until == record->updated_at + request.lifetimes.lease);
    CHECK_FALSE(record->response);
    SECTION("UNKNOWN") {
        rig.apply(command(request, claim, MarkUnknown{"reset"}));
        record = look(rig, Detail::content);
        CHECK(to_text(record->state) == "UNKNOWN");
        CHECK(record->evidence == "reset");
        CHECK(record->keep_until == record->updated_at + request.lifetimes.unknown_retention);
        CHECK_FALSE(record->response);
    }
    SECTION("FAILED") {
        rig.apply(command(request, claim, Fail{FailureKind::answered, "status:500"}));
        record = look(rig, Detail::content);
        CHECK(to_text(record->state) == "FAILED");
        CHECK(to_text(record->failure) == "answered");
        CHECK(record->evidence == "status:500");
    }
    SECTION("COMPLETED, its content where it is asked for") {
        rig.apply(command(request, claim, Complete{test::response()}));
        record = look(rig, Detail::fields);
        CHECK(to_text(record->state) == "COMPLETED");
        CHECK(record->keep_until == record->updated_at + request.lifetimes.retention);
        REQUIRE(record->response);
        CHECK(record->response->status == 201);
        CHECK(record->response->digest == test::response().digest);
        CHECK_FALSE(record->response->truncated);
        CHECK(record->response->head.empty());
        CHECK(record->response->body.empty());
        record = look(rig, Detail::content);
        CHECK(record->response->head == test::response().head);
        CHECK(record->response->body == "made");
    }
    SECTION("COMPLETED, truncated") {
        auto response = test::response(200, "");
        response.truncated = true;
        rig.apply(command(request, claim, Complete{response}));
        record = look(rig, Detail::content);
        CHECK(record->response->truncated);
        CHECK(record->response->head == response.head);
    }
}

TEST_CASE("a record reads by the store's clock, and looking changes nothing") {
    Rig rig;
    const auto request = brief_request();
    const auto claim = rig.win(request);
    SECTION("a lease that is over reads UNKNOWN, and its owner may still renew it") {
        REQUIRE(becomes(rig, request, RecordState::unknown));
        const auto record = rig.find(request);
        CHECK(record->evidence == "lease");
        CHECK(record->keep_until == record->lease_until + brief);
        RecordQuery query;
        query.state = RecordState::unknown;
        CHECK(rig.list(query).records.size() == 1);
        CHECK(rig.apply(command(request, claim, Renew{})).verdict == CommandVerdict::applied);
        CHECK(to_text(rig.find(request)->state) == "PROCESSING");
    }
    SECTION("then EXPIRED, then absent") {
        REQUIRE(becomes(rig, request, RecordState::expired));
        RecordQuery query;
        query.state = RecordState::expired;
        const auto page = rig.list(query);
        CHECK((page.records.size() == 1 || !rig.find(request)));
        CHECK(rig.eventually([&] { return !rig.find(request); }));
        CHECK(rig.list({}).records.empty());
    }
    SECTION("an answer past its retention reads EXPIRED, with its status and without its content") {
        rig.apply(command(request, claim, Complete{test::response()}));
        REQUIRE(becomes(rig, request, RecordState::expired));
        const auto record = rig.find(request);
        if (record) {
            REQUIRE(record->response);
            CHECK(record->response->status == 201);
            CHECK(record->response->body.empty());
        }
    }
    SECTION("FAILED past its retention is absent") {
        rig.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"}));
        CHECK(rig.eventually([&] { return !rig.find(request); }));
        CHECK(rig.list({}).records.empty());
    }
}

TEST_CASE("a record is found whatever is known of its route") {
    Rig rig;
    for (std::uint64_t number = 1; number <= 40; ++number) {
        make_record(rig, number, number == 1 ? "create-order" : "pay");
    }
    CHECK(look(rig, Detail::fields, {"create-order"}, Reach::named_routes));
    CHECK(look(rig, Detail::fields, {"pay", "create-order"}, Reach::named_routes));
    CHECK(look(rig, Detail::fields, {"pay"}));
    CHECK(look(rig, Detail::fields, {}));
    CHECK_FALSE(rig.try_find({test::record_id(99), {"pay"}, Reach::everywhere, Detail::fields}).value());
}

TEST_CASE("the pages of a list hold each record once") {
    Rig rig;
    constexpr std::uint64_t count = 150;
    for (std::uint64_t number = 1; number <= count; ++number) {
        make_record(rig, number, number % 3 == 0 ? "pay" : "create-order");
    }
    RecordQuery query;
    query.limit = GENERATE(as<std::size_t>{}, 1, 7, 100, 1'000);
    INFO("limit " << query.limit);
    std::size_t repeated = 0;
    const auto all = rig.list_all(query, &repeated);
    CHECK(ids_of(all) == numbers_where(count, [](auto) { return true; }));
    CHECK(repeated == 0);
    for (const auto& [id, listed] : all) {
        REQUIRE(listed.record);
        CHECK(listed.route == listed.record->route);
        CHECK((listed.record->response.has_value() == (listed.record->state == RecordState::completed)));
        CHECK((!listed.record->response || listed.record->response->body.empty()));
    }
}

TEST_CASE("a list gives what the query asks for") {
    Rig rig;
    constexpr std::uint64_t count = 60;
    for (std::uint64_t number = 1; number <= count; ++number) {
        make_record(rig, number, number % 3 == 0 ? "pay" : "create-order");
    }
    RecordQuery query;
    query.limit = 10;
    SECTION("by route") {
        query.route = "pay";
        CHECK(ids_of(rig.list_all(query)) == numbers_where(count, [](auto number) { return number % 3 == 0; }));
    }
    SECTION("a route is no pattern") {
        query.route = GENERATE("p*", "*", "pa?", "[p]ay", "pa", "Pay");
        CHECK(rig.list_all(query).empty());
    }
    SECTION("by state") {
        const std::vector<RecordState> states{RecordState::processing, RecordState::completed, RecordState::failed,
                                              RecordState::unknown};
        for (std::size_t i = 0; i < states.size(); ++i) {
            query.state = states[i];
            CHECK(ids_of(rig.list_all(query)) == numbers_where(count, [&](auto number) { return number % states.size() == i; }));
        }
        query.state = RecordState::expired;
        CHECK(rig.list_all(query).empty());
    }
    SECTION("by both") {
        query.route = "pay";
        query.state = RecordState::completed;
        CHECK(ids_of(rig.list_all(query)) ==
              numbers_where(count, [](auto number) { return number % 3 == 0 && number % 4 == 1; }));
    }
    SECTION("by age") {
        rig.wait_past(rig.now() + milliseconds{300});
        make_record(rig, count + 1, "pay");
        query.older_than = milliseconds{250};
        CHECK(ids_of(rig.list_all(query)) == numbers_where(count, [](auto) { return true; }));
        query.older_than = std::chrono::hours{1};
        CHECK(rig.list_all(query).empty());
    }
}

TEST_CASE("a cursor holds while records come, change and go") {
    Rig rig;
    constexpr std::uint64_t count = 120;
    for (std::uint64_t number = 1; number <= count; ++number) {
        make_record(rig, number, "create-order");
    }
    RecordQuery query;
    query.limit = 9;
    std::set<RecordId> seen;
    std::uint64_t next = 1'000;
    do {
        const auto page = rig.list(query, next % Rig::loop_count);
        for (const auto& listed : page.records) {
            seen.insert(listed.id);
        }
        query.cursor = page.next_cursor;
        for (int i = 0; i < 12; ++i) {
            auto request = claim_request(++next, 10);
            request.lifetimes.retention = milliseconds{1};
            const auto claim = rig.win(request);
            if (i % 2 == 0) {
                rig.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"}));
            }
        }
        const auto changing = claim_request(next % count + 1, next);
        rig.claim(changing);
    } while (!query.cursor.empty() && next < 100'000);
    for (std::uint64_t number = 1; number <= count; ++number) {
        INFO("record " << number);
        CHECK(seen.contains(test::record_id(number)));
    }
}

TEST_CASE("a cursor that the store has not made is refused") {
    Rig rig;
    make_record(rig, 1, "create-order");
    RecordQuery query;
    query.cursor =
        GENERATE("junk", "-1", "1e3", "0x10", "0.256.", "9.0.", "0.0.12", " 1", "1 ", "12-34", "99999999999999999999999");
    const auto page = rig.try_list(query);
    REQUIRE(page.has_error());
    CHECK(page.error() == store::StoreErrc::bad_cursor);
}

TEST_CASE("an empty store has an empty last page") {
    Rig rig;
    const auto page = rig.list({});
    CHECK(page.records.empty());
    CHECK(page.next_cursor.empty());
}

}  // namespace onceward::contract
