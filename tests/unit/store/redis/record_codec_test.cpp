#include "store/redis/record_codec.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace onceward::store::redis {

namespace {

using guard::Existing;

const std::string hex8(16, 'a');
const std::string hex16(32, 'b');
const std::string hex32(64, 'c');

/// The reply of claim.lua on a COMPLETED record of the same request.
std::vector<std::string> completed() {
    return {"existing",
            "COMPLETED",
            "orders",
            hex16,
            "",
            "1700000000000001",
            "2",
            "9007199254740993",
            hex8,
            hex32,
            hex32,
            hex32,
            "body=1",
            "0",
            "",
            "",
            "100",
            "200",
            "300",
            "400",
            "500",
            "201",
            "0",
            hex32,
            "9 4",
            "250",
            "same",
            "same",
            "Created\r\nmade"};
}

guard::ClaimRequest request_of_orders() {
    guard::ClaimRequest request;
    request.owner = test::owner_token(1);
    request.route = "orders";
    request.identity.parts = "body=1";
    return request;
}

/// The same when nothing of the identity differs.
std::vector<std::string> replayed() {
    return {"replay", hex16, "",    "1700000000000001", "2", "9007199254740993", "0", "100", "200", "400", "500", "201", "0",
            hex32,    "9 4", "250", "Created\r\nmade"};
}

std::optional<ClaimAnswer> read(const std::vector<std::string>& fields) {
    Reply reply;
    reply.is_array = true;
    for (const auto& field : fields) {
        reply.values.push_back({ValueKind::bulk, field, 0});
    }
    return read_claim(reply, request_of_orders());
}

/// What both replies say of the record.
void check_record(const guard::Existing& existing) {
    CHECK(existing.relation == guard::Relation::same);
    CHECK(existing.caller_same);
    const auto& record = existing.record;
    CHECK(record.state == guard::RecordState::completed);
    CHECK(record.route == "orders");
    CHECK(record.last_owner == OwnerToken{});
    CHECK(record.fence.value == 1'700'000'000'000'001);
    CHECK(record.attempt.value == 2);
    CHECK(record.operation_id.value == 9'007'199'254'740'993);
    CHECK(record.identity.parts == "body=1");
    CHECK(to_micros(record.created_at) == 100);
    CHECK(to_micros(record.updated_at) == 200);
    CHECK(to_micros(record.keep_until) == 400);
    CHECK(to_micros(record.forget_at) == 500);
    REQUIRE(record.response);
    CHECK(record.response->status == 201);
    CHECK(record.response->head == "Created\r\n");
    CHECK(record.response->body == "made");
    CHECK_FALSE(record.response->truncated);
}

}  // namespace

TEST_CASE("a completed record is read with its response and every digit") {
    const auto answer = read(completed());
    REQUIRE(answer);
    CHECK(to_micros(answer->now) == 250);
    const auto& existing = std::get<Existing>(answer->reply);
    check_record(existing);
    CHECK(to_micros(existing.record.lease_until) == 300);
}

TEST_CASE("the reply to the usual duplicate says the same in fewer fields") {
    const auto answer = read(replayed());
    REQUIRE(answer);
    CHECK(to_micros(answer->now) == 250);
    check_record(std::get<Existing>(answer->reply));
}

TEST_CASE("head and content must have the sizes that were recorded") {
    const std::string sizes = GENERATE("8 4", "9 5", "13 4", "9", "9 ", " 4", "9  4", "9 4 ", "18446744073709551615 14");
    INFO(sizes);
    auto fields = completed();
    fields[24] = sizes;
    CHECK_FALSE(read(fields));
    fields = replayed();
    fields[14] = sizes;
    CHECK_FALSE(read(fields));
}

TEST_CASE("an answer without head and content needs none") {
    auto fields = replayed();
    fields[14] = "0 0";
    fields[16] = GENERATE("", "left by an earlier answer");
    const auto answer = read(fields);
    REQUIRE(answer);
    CHECK(std::get<Existing>(answer->reply).record.response->head.empty());
    CHECK(std::get<Existing>(answer->reply).record.response->body.empty());
}

TEST_CASE("a response is not read for another request or caller") {
    auto fields = completed();
    fields[26] = "differs";
    const auto other_request = read(fields);
    REQUIRE(other_request);
    CHECK_FALSE(std::get<Existing>(other_request->reply).record.response);
    fields[26] = "same";
    fields[27] = "other";
    const auto other_caller = read(fields);
    REQUIRE(other_caller);
    CHECK_FALSE(std::get<Existing>(other_caller->reply).record.response);
}

TEST_CASE("junk in any field that is not free text makes the reply unreadable") {
    // Route, parts, evidence are opaque, and so is the failure of what has not failed.
    const std::vector<std::size_t> free_text{2, 12, 14, 15};
    for (std::size_t i = 0; i < completed().size(); ++i) {
        const bool is_free = std::find(free_text.begin(), free_text.end(), i) != free_text.end();
        for (const std::string junk : {"\xff\x01", "BANANA", "-1", "99999999999999999999999999", "12x", " 1"}) {
            INFO("field " << i << ": " << junk);
            auto fields = completed();
            fields[i] = junk;
            if (!is_free) {
                CHECK_FALSE(read(fields));
            }
            if (i < replayed().size()) {
                fields = replayed();
                fields[i] = junk;
                CHECK_FALSE(read(fields));
            }
        }
    }
}

TEST_CASE("a reply that is too short or too long is unreadable") {
    auto fields = completed();
    fields.push_back("more");
    CHECK_FALSE(read(fields));
    fields = completed();
    while (!fields.empty()) {
        fields.pop_back();
        CHECK_FALSE(read(fields));
    }
    fields = replayed();
    fields.push_back("more");
    CHECK_FALSE(read(fields));
    fields = replayed();
    while (!fields.empty()) {
        fields.pop_back();
        CHECK_FALSE(read(fields));
    }
}

TEST_CASE("each verdict of a command is read") {
    struct Row {
        std::string word;
        guard::CommandVerdict verdict;
    };
    using enum guard::CommandVerdict;
    for (const auto& row : {Row{"applied", applied}, Row{"rewritten", rewritten}, Row{"fenced", fenced}, Row{"lapsed", lapsed}}) {
        Reply reply;
        reply.is_array = true;
        for (const std::string_view field : {std::string_view(row.word), {"7"}, {"UNKNOWN"}, {"1"}}) {
            reply.values.push_back({ValueKind::bulk, field, 0});
        }
        const auto answer = read_command(reply);
        REQUIRE(answer);
        CHECK(static_cast<int>(answer->reply.verdict) == static_cast<int>(row.verdict));
        CHECK(answer->reply.state == guard::RecordState::unknown);
        CHECK(answer->reply.may);
        CHECK(to_micros(answer->now) == 7);
    }
}

TEST_CASE("a status reply where an array was asked for is unreadable") {
    Reply reply;
    reply.values.push_back({ValueKind::status, "OK", 0});
    CHECK_FALSE(read_claim(reply, {}));
    CHECK_FALSE(read_command(reply));
    CHECK_FALSE(read_worker_lease(reply));
    CHECK_FALSE(read_clock(reply));
}

TEST_CASE("a lifetime beyond all measure stays within a 64-bit time") {
    auto request = test::claim_request(1, 2);
    request.lifetimes.lease = milliseconds::max();
    std::string out;
    write_claim(out, Keyspace("p"), request, ScriptForm::by_hash);
    CHECK(out.find("$18\r\n100000000000000000\r\n") != std::string::npos);
}

}  // namespace onceward::store::redis
