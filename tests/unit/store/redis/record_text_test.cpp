#include "store/redis/record_text.hpp"

#include "catch.hpp"
#include "record_line.hpp"

#include <string>
#include <vector>

namespace onceward::store::redis {

namespace {

using guard::RecordState;
using test::record_words;
using test::RecordWords;

std::optional<StoredRecord> parse(const RecordWords& words) {
    return parse_record(words.text(), "orders");
}

}  // namespace

TEST_CASE("a completed record is read to every digit") {
    const auto stored = parse(record_words("COMPLETED"));
    REQUIRE(stored);
    const auto& record = stored->record;
    CHECK(record.state == RecordState::completed);
    CHECK(record.route == "orders");
    CHECK(record.last_owner == OwnerToken{});
    CHECK(record.fence.value == 1'700'000'000'000'001);
    CHECK(record.attempt.value == 2);
    CHECK(record.operation_id.value == 9'007'199'254'740'993);
    CHECK(guard::relate(record.identity, test::request_of_words().identity) == guard::Relation::same);
    CHECK(record.identity.raw == test::request_of_words().identity.raw);
    CHECK(record.identity.caller == test::request_of_words().identity.caller);
    CHECK(record.identity.parts == "body=1");
    CHECK_FALSE(record.may);
    CHECK(record.evidence.empty());
    CHECK(to_micros(record.created_at) == 100);
    CHECK(to_micros(record.updated_at) == 200);
    CHECK(to_micros(record.lease_until) == 300);
    CHECK(to_micros(record.keep_until) == 400);
    CHECK(to_micros(record.forget_at) == 500);
    REQUIRE(record.response);
    CHECK(record.response->status == 201);
    CHECK_FALSE(record.response->truncated);
    CHECK(record.response->bytes_in_pieces == 0);
    CHECK(stored->head_size == 9);
    CHECK(stored->body_size == 4);
}

TEST_CASE("records of each state are read") {
    auto words = record_words("PROCESSING");
    words.last_owner = std::string(32, 'e');
    auto stored = parse(words);
    REQUIRE(stored);
    CHECK(stored->record.state == RecordState::processing);
    CHECK(to_micros(stored->record.lease_until) == 300);
    CHECK(to_micros(stored->record.keep_until) == 400);
    CHECK(stored->record.last_owner.bytes[0] == 0xee);
    CHECK_FALSE(stored->record.response);
    words = record_words("FAILED");
    words.may = "1";
    stored = parse(words);
    REQUIRE(stored);
    CHECK(stored->record.state == RecordState::failed);
    CHECK(stored->record.failure == guard::FailureKind::answered);
    CHECK(stored->record.evidence == "status:500");
    CHECK(stored->record.may);
    words = record_words("UNKNOWN");
    words.evidence = "released by operator";
    words.parts.clear();
    stored = parse(words);
    REQUIRE(stored);
    CHECK(stored->record.state == RecordState::unknown);
    CHECK(stored->record.evidence == "released by operator");
    CHECK(stored->record.identity.parts.empty());
}

TEST_CASE("an answer in pieces tells how large it is") {
    auto words = record_words("COMPLETED");
    words.answer = "200 0 " + std::string(64, 'd') + " 9 0 5000000000";
    CHECK(parse(words)->record.response->bytes_in_pieces == 5'000'000'000);
    words.answer = "200 0 " + std::string(64, 'd') + " 9 1 5000000000";
    CHECK_FALSE(parse(words));
    words.answer = "200 0 " + std::string(64, 'd') + " 9 0 0";
    CHECK_FALSE(parse(words));
}

TEST_CASE("junk in any word that is not free text makes a record unreadable") {
    const std::vector<std::string RecordWords::*> words{
        &RecordWords::version, &RecordWords::state,        &RecordWords::may,        &RecordWords::owner,
        &RecordWords::until,   &RecordWords::identity,     &RecordWords::last_owner, &RecordWords::fence,
        &RecordWords::attempt, &RecordWords::operation_id, &RecordWords::created_at, &RecordWords::updated_at,
        &RecordWords::other,   &RecordWords::forget_at,    &RecordWords::failure,    &RecordWords::answer};
    for (const auto* state : {"PROCESSING", "COMPLETED", "FAILED", "UNKNOWN"}) {
        const auto good = record_words(state);
        REQUIRE(parse(good));
        for (std::size_t i = 0; i < words.size(); ++i) {
            for (const std::string junk : {"\xff\x01", "BANANA    ", "-1", "99999999999999999999999999", "12x", " 1", "a\nb"}) {
                INFO(state << ", word " << i << ": " << junk);
                auto bad = good;
                bad.*words[i] = junk;
                CHECK_FALSE(parse(bad));
            }
        }
    }
}

TEST_CASE("a record's answer must be one, and belongs to COMPLETED only") {
    const std::string digest(64, 'd');
    for (const std::string& answer : std::vector<std::string>{
             "", "99 0 " + digest + " 9 4", "201 2 " + digest + " 9 4", "201 0 " + digest + " 9", "201 0 " + digest + " 9 ",
             "201 0 " + digest + "  9 4", "201 0 " + digest + " 9 4 ", "201 0 " + digest + " 9 4 5 6",
             "201 0 " + digest + " 18446744073709551616 4", "201 0 dd 9 4"}) {
        INFO(answer);
        auto words = record_words("COMPLETED");
        words.answer = answer;
        CHECK_FALSE(parse(words));
    }
    auto words = record_words("UNKNOWN");
    words.answer = record_words("COMPLETED").answer;
    CHECK_FALSE(parse(words));
}

TEST_CASE("a record that is cut, or goes on, is unreadable") {
    const auto text = record_words("COMPLETED").text();
    for (std::size_t size = 0; size < text.size(); ++size) {
        INFO(size);
        CHECK_FALSE(parse_record(text.substr(0, size), "orders"));
    }
    CHECK_FALSE(parse_record(text + "\n", "orders"));
    CHECK_FALSE(parse_record(text + "\nmore", "orders"));
    CHECK_FALSE(parse_record(" " + text, "orders"));
}

TEST_CASE("head and content must have the sizes that were recorded") {
    const std::string content = "Created\r\nmade";
    auto stored = parse(record_words("COMPLETED"));
    CHECK(add_content(*stored, content));
    CHECK(stored->record.response->head == "Created\r\n");
    CHECK(stored->record.response->body == "made");
    for (const auto* sizes : {"8 4", "9 5", "13 4", "14 0", "18446744073709551615 14"}) {
        INFO(sizes);
        auto words = record_words("COMPLETED");
        words.answer = "201 0 " + std::string(64, 'd') + ' ' + sizes;
        stored = parse(words);
        REQUIRE(stored);
        CHECK_FALSE(add_content(*stored, content));
    }
}

TEST_CASE("an answer without head and content needs none") {
    auto words = record_words("COMPLETED");
    words.answer = "204 0 " + std::string(64, 'd') + " 0 0";
    auto stored = parse(words);
    CHECK(add_content(*stored, GENERATE("", "left by an earlier answer")));
    CHECK(stored->record.response->head.empty());
    CHECK(stored->record.response->body.empty());
}

}  // namespace onceward::store::redis
