#include "store/redis/operator_codec.hpp"

#include "catch.hpp"
#include "record_line.hpp"

#include <string>
#include <vector>

namespace onceward::store::redis {

namespace {

/// Stands for nil.
const std::string nil = "nil";

using Fields = std::vector<std::string>;
using test::record_words;

/// The values point into `fields`.
Reply reply_of(const Fields& fields) {
    Reply reply;
    reply.is_array = true;
    for (const auto& field : fields) {
        reply.values.push_back(field == nil ? Value{} : Value{ValueKind::bulk, field, 0});
    }
    return reply;
}

const Keyspace keys("test");
const auto id = test::record_id(1);

std::string key_of(const RecordId& record, const std::string& route) {
    std::string out;
    CommandWriter writer(out, 1);
    writer.record_key("test", route, record, {});
    const auto start = out.find("test:");
    return out.substr(start, out.size() - start - 2);
}

}  // namespace

TEST_CASE("a stored record reads by the clock of its reply") {
    struct Row {
        const char* state;
        const char* now;
        const char* reads;
    };
    const auto row = GENERATE(values<Row>({{"PROCESSING", "299", "PROCESSING"},
                                           {"PROCESSING", "300", "UNKNOWN"},
                                           {"PROCESSING", "499", "EXPIRED"},
                                           {"PROCESSING", "500", "absent"},
                                           {"COMPLETED", "399", "COMPLETED"},
                                           {"COMPLETED", "400", "EXPIRED"},
                                           {"FAILED", "399", "FAILED"},
                                           {"FAILED", "400", "absent"},
                                           {"UNKNOWN", "499", "EXPIRED"}}));
    INFO(row.state << " at " << row.now);
    const bool completed = row.state == std::string_view("COMPLETED");
    auto words = record_words(row.state);
    const Fields fields{"record", row.now, words.text(), completed ? "Created\r\nmade" : nil};
    const auto answer = read_find(reply_of(fields), {"orders", id, Detail::content});
    REQUIRE(answer);
    CHECK(to_micros(answer->now) == std::stoll(row.now));
    CHECK((answer->found ? guard::to_text(answer->found->record.state) : "absent") == row.reads);
    if (answer->found && completed) {
        CHECK(answer->found->record.response->status == 201);
        CHECK(answer->found->record.response->body == (row.reads == std::string_view("COMPLETED") ? "made" : ""));
    }
}

TEST_CASE("what is stored as no record of ours can't be read") {
    auto words = record_words("UNKNOWN");
    CHECK(read_find(reply_of({"record", "250", words.text(), nil}), {"orders", id}));
    CHECK_FALSE(read_find(reply_of({"record", "250", words.text()}), {"orders", id}));
    words.version = GENERATE("1", "3", "");
    CHECK_FALSE(read_find(reply_of({"record", "250", words.text(), nil}), {"orders", id}));
    CHECK_FALSE(read_find(reply_of({"absent", "250"}), {"orders", id})->found);
}

TEST_CASE("an operator's reply shows the record before and after") {
    guard::OperatorCommand word;
    word.route = "orders";
    const auto completed = record_words("COMPLETED").text();
    const auto unknown = record_words("UNKNOWN").text();
    const Fields applied{"applied", "250", completed, record_words("FAILED").text()};
    const auto answer = read_operator_command(reply_of(applied), word);
    REQUIRE(answer);
    CHECK(answer->reply.verdict == guard::OperatorVerdict::applied);
    CHECK(answer->reply.before->response->status == 201);
    CHECK(answer->reply.before->route == "orders");
    CHECK(answer->reply.after->state == guard::RecordState::failed);
    CHECK_FALSE(answer->reply.after->response);
    const auto expired = read_operator_command(reply_of({"needs-force", "450", completed}), word);
    REQUIRE(expired);
    CHECK(expired->reply.before->state == guard::RecordState::expired);
    CHECK(expired->reply.before->response);
    CHECK_FALSE(read_operator_command(reply_of({"conflict", "450", unknown}), word)->reply.before->response);
    CHECK(read_operator_command(reply_of({"absent", "250"}), word)->reply.verdict == guard::OperatorVerdict::absent);
}

TEST_CASE("an operator's reply of another shape can't be read") {
    const auto unknown = record_words("UNKNOWN").text();
    const auto failed = record_words("FAILED").text();
    CHECK_FALSE(read_operator_command(reply_of({"applied", "250", unknown}), {}));
    CHECK_FALSE(read_operator_command(reply_of({"conflict", "250", unknown, failed}), {}));
    CHECK_FALSE(read_operator_command(reply_of({"conflict", "250", "junk"}), {}));
    CHECK_FALSE(read_operator_command(reply_of({"done", "250"}), {}));
    CHECK_FALSE(read_operator_command(reply_of({"absent"}), {}));
}

TEST_CASE("a listed record that can't be read stands among the others") {
    const auto good = key_of(id, "orders");
    const auto bad = key_of(test::record_id(2), "pay");
    auto newer = record_words("UNKNOWN");
    newer.version = "9";
    const Fields fields{"17", "250", good, record_words("COMPLETED").text(), bad, GENERATE_COPY(newer.text(), nil)};
    const auto answer = read_list(reply_of(fields), keys);
    REQUIRE(answer);
    CHECK(answer->scan == "17");
    REQUIRE(answer->records.size() == 2);
    CHECK(answer->records[0].id == id);
    CHECK(answer->records[0].record->response->body.empty());
    CHECK(answer->records[1].id == test::record_id(2));
    CHECK(answer->records[1].route == "pay");
    CHECK_FALSE(answer->records[1].record);
}

TEST_CASE("only keys of records are records") {
    std::string route;
    RecordId read;
    CHECK(keys.parse_record_key(key_of(id, "create-order"), route, read));
    CHECK(route == "create-order");
    CHECK(read == id);
    const auto hex = key_of(id, "r").substr(std::string("test:{r:").size(), 64);
    for (const auto& key :
         {std::string(), std::string("test:"), "test:{" + hex + "}", "test:{:" + hex + "}:body", "tests:{r:" + hex + "}",
          "test:{r:" + hex, "test:{r:" + hex.substr(1) + "}", "test:{r:" + std::string(64, 'x') + "}"}) {
        INFO(key);
        CHECK_FALSE(keys.parse_record_key(key, route, read));
    }
}

TEST_CASE("what a pattern is made of is taken literally") {
    CHECK(keys.record_pattern("") == "test:{*}");
    CHECK(keys.record_pattern("pay") == "test:{pay:*}");
    CHECK(keys.record_pattern("p*[a]?\\") == "test:{p\\*\\[a\\]\\?\\\\:*}");
}

}  // namespace onceward::store::redis
