#include "store/redis/record_codec.hpp"

#include "catch.hpp"
#include "record_line.hpp"

#include <string>
#include <vector>

namespace onceward::store::redis {

namespace {

using guard::Existing;
using test::record_words;
using Values = std::vector<std::string>;

/// The reply of claim.lua on a COMPLETED record of the same request.
Values completed() {
    return {"record", "250", record_words("COMPLETED").text(), "Created\r\nmade"};
}

std::optional<ClaimAnswer> read(const Values& values, const guard::ClaimRequest& request = test::request_of_words()) {
    Reply reply;
    reply.is_array = true;
    for (const auto& value : values) {
        reply.values.push_back({ValueKind::bulk, value, 0});
    }
    return read_claim(reply, request);
}

}  // namespace

TEST_CASE("a completed record is read with its response") {
    const auto answer = read(completed());
    REQUIRE(answer);
    CHECK(to_micros(answer->now) == 250);
    const auto& existing = std::get<Existing>(answer->reply);
    CHECK(existing.now == answer->now);
    CHECK(existing.relation == guard::Relation::same);
    CHECK(existing.caller_same);
    CHECK(existing.record.state == guard::RecordState::completed);
    CHECK(existing.record.route == "orders");
    REQUIRE(existing.record.response);
    CHECK(existing.record.response->head == "Created\r\n");
    CHECK(existing.record.response->body == "made");
}

TEST_CASE("a record reads by the clock of its reply") {
    auto values = completed();
    values[1] = "400";
    const auto answer = read(values);
    REQUIRE(answer);
    CHECK(std::get<Existing>(answer->reply).record.state == guard::RecordState::expired);
    CHECK_FALSE(std::get<Existing>(answer->reply).record.response);
    // What reads as absent would have been claimed.
    values[1] = "500";
    CHECK_FALSE(read(values));
}

TEST_CASE("a completed record without its content, or with another's, is unreadable") {
    auto values = completed();
    values[3] = GENERATE("", "made", "Created\r\nmade!");
    CHECK_FALSE(read(values));
}

TEST_CASE("a response is not read for another request or caller") {
    auto request = test::request_of_words();
    request.identity.fingerprint.bytes[0] = 1;
    auto answer = read(completed(), request);
    REQUIRE(answer);
    CHECK(std::get<Existing>(answer->reply).relation == guard::Relation::differs);
    CHECK_FALSE(std::get<Existing>(answer->reply).record.response);
    request = test::request_of_words();
    request.identity.caller.bytes[0] = 1;
    answer = read(completed(), request);
    REQUIRE(answer);
    CHECK_FALSE(std::get<Existing>(answer->reply).caller_same);
    CHECK_FALSE(std::get<Existing>(answer->reply).record.response);
}

TEST_CASE("what a claim did to the number of unknown records is read") {
    Values values{"record", "250", record_words("UNKNOWN").text(), "", "1"};
    CHECK(std::get<Existing>(read(values)->reply).unknown == guard::UnknownChange::one_more);
    values.back() = "2";
    CHECK_FALSE(read(values));
    values.pop_back();
    CHECK(std::get<Existing>(read(values)->reply).unknown == guard::UnknownChange::none);
}

TEST_CASE("the first claim of a key is as it was asked for, with the clock as its fence") {
    auto request = test::request_of_words();
    request.operation_id = {77};
    const auto answer = read({"first", "1700000000000001"}, request);
    REQUIRE(answer);
    const auto& claimed = std::get<guard::Claimed>(answer->reply);
    CHECK(claimed.claim.owner == request.owner);
    CHECK(claimed.claim.fence.value == 1'700'000'000'000'001);
    CHECK(claimed.claim.attempt.value == 1);
    CHECK(claimed.claim.operation_id.value == 77);
    CHECK_FALSE(claimed.claim.may);
    CHECK(claimed.lease == request.lifetimes.lease);
    CHECK_FALSE(read({"first"}));
    CHECK_FALSE(read({"first", "now"}));
    CHECK_FALSE(read({"first", "1", "2"}));
}

TEST_CASE("a later claim is what the record says") {
    Values values{"claimed", "250", "30000", "1700000000000001", "3", "9007199254740993", "1", "-1"};
    const auto answer = read(values);
    REQUIRE(answer);
    const auto& claimed = std::get<guard::Claimed>(answer->reply);
    CHECK(claimed.lease == milliseconds{30'000});
    CHECK(claimed.claim.fence.value == 1'700'000'000'000'001);
    CHECK(claimed.claim.attempt.value == 3);
    CHECK(claimed.claim.operation_id.value == 9'007'199'254'740'993);
    CHECK(claimed.claim.may);
    CHECK(claimed.unknown == guard::UnknownChange::one_less);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (const std::string junk : {"\xff\x01", "BANANA", "-2", "99999999999999999999999999", "12x", " 1"}) {
            INFO("value " << i << ": " << junk);
            auto bad = values;
            bad[i] = junk;
            CHECK_FALSE(read(bad));
        }
    }
}

TEST_CASE("a reply that is too short or too long is unreadable") {
    auto values = completed();
    values.insert(values.end(), {"1", "more"});
    CHECK_FALSE(read(values));
    values = completed();
    while (!values.empty()) {
        values.pop_back();
        CHECK_FALSE(read(values));
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
