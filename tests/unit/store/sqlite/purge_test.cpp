#include "catch.hpp"
#include "store_process.hpp"

using namespace onceward;
using namespace onceward::test;

namespace {

store::SqliteOptions at(const std::string& path) {
    store::SqliteOptions options;
    options.path = path;
    options.purge_interval = milliseconds{5};
    return options;
}

guard::ClaimRequest short_lived(std::uint64_t number, milliseconds tombstone) {
    auto request = claim_request(number, number);
    request.lifetimes.retention = milliseconds{1};
    request.lifetimes.unknown_retention = milliseconds{1};
    request.lifetimes.tombstone = tombstone;
    return request;
}

}  // namespace

TEST_CASE("records that are over are removed, those that are not or that still execute stay") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    PlainConnection plain{folder.file("records.db")};
    constexpr std::uint64_t over = 100;
    for (std::uint64_t i = 1; i <= over; ++i) {
        const auto request = short_lived(i, milliseconds{0});
        const auto claim = process.win(request);
        guard::Action action = guard::Complete{response()};
        if (i % 3 == 0) {
            action = guard::Fail{guard::FailureKind::answered, "status:500"};
        } else if (i % 3 == 1) {
            action = guard::MarkUnknown{"reset"};
        }
        REQUIRE(process.apply(command(request, claim, action)).has_value());
    }
    auto executing = short_lived(1'000, milliseconds{0});
    executing.lifetimes.lease = milliseconds{1};
    process.win(executing);
    const auto kept = claim_request(1'001, 1'001);
    REQUIRE(process.apply(command(kept, process.win(kept), guard::Complete{response()})).has_value());

    CHECK(eventually([&] { return plain.number("SELECT count(*) FROM onceward") == 2; }));
    CHECK(plain.number("SELECT count(*) FROM onceward WHERE state = 'PROCESSING'") == 1);
    CHECK(plain.number("SELECT count(*) FROM onceward WHERE state = 'COMPLETED' AND body IS NOT NULL") == 1);
    CHECK(eventually([&] { return process.counts().purged >= over; }));
}

TEST_CASE("a tombstone has no body, and still knows what it was") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    const auto request = short_lived(1, std::chrono::hours{1});
    REQUIRE(process.apply(command(request, process.win(request), guard::Complete{response(201, std::string(100'000, 'b'))}))
                .has_value());
    PlainConnection plain{folder.file("records.db")};
    CHECK(eventually([&] { return plain.number("SELECT body IS NULL AND head IS NULL FROM onceward") == 1; }));

    const auto reply = process.claim(claim_request(1, 2));
    REQUIRE(reply.has_value());
    REQUIRE(std::holds_alternative<guard::Existing>(*reply));
    CHECK(std::get<guard::Existing>(*reply).record.state == guard::RecordState::expired);
    CHECK(std::get<guard::Existing>(*reply).relation == guard::Relation::same);
    CHECK(plain.number("SELECT status FROM onceward") == 201);
}

TEST_CASE("a record of a newer version is never removed") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    PlainConnection plain{folder.file("records.db")};
    const auto newer = claim_request(1, 1);
    REQUIRE(process.apply(command(newer, process.win(newer), guard::Complete{response()})).has_value());
    plain.execute("UPDATE onceward SET v = 2, keep_until = 1, forget_at = 1, due_at = 1");
    const auto old = short_lived(2, milliseconds{0});
    REQUIRE(process.apply(command(old, process.win(old), guard::Complete{response()})).has_value());
    CHECK(eventually([&] { return plain.number("SELECT count(*) FROM onceward") == 1; }));
    CHECK(plain.number("SELECT v FROM onceward") == 2);
}
