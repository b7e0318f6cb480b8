#include "store/redis/operator_codec.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

#include <string>
#include <vector>

namespace onceward::store::redis {

namespace {

const std::string hex8(16, 'a');
const std::string hex16(32, 'b');
const std::string hex32(64, 'c');
/// Stands for nil.
const std::string nil = "nil";

using Fields = std::vector<std::string>;

/// A record from `state` on, as scripts show it.
Fields shown(const std::string& state, bool answered) {
    Fields fields{state,
                  "orders",
                  hex16,
                  nil,
                  "1700000000000001",
                  "2",
                  "9007199254740993",
                  hex8,
                  hex32,
                  hex32,
                  hex32,
                  "body=1",
                  "0",
                  "answered",
                  "status:500",
                  "100",
                  "200",
                  "300",
                  "400",
                  "500"};
    const auto response = answered ? Fields{"201", "0", hex32, "9 4"} : Fields{nil, nil, nil, nil};
    fields.insert(fields.end(), response.begin(), response.end());
    return fields;
}

Fields join(std::initializer_list<Fields> parts) {
    Fields all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

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
    const auto fields = join({{"record", row.now, "1"}, shown(row.state, completed), {completed ? "Created\r\nmade" : nil}});
    const auto answer = read_find(reply_of(fields), {"orders", id, Detail::content});
    REQUIRE(answer);
    CHECK(to_micros(answer->now) == std::stoll(row.now));
    CHECK((answer->found ? guard::to_text(answer->found->record.state) : "absent") == row.reads);
    if (answer->found && completed) {
        CHECK(answer->found->record.response->status == 201);
        CHECK(answer->found->record.response->body == (row.reads == std::string_view("COMPLETED") ? "made" : ""));
    }
}

TEST_CASE("what is stored as no version or state of ours can't be read") {
    const auto* version = GENERATE("0", "2", "");
    CHECK_FALSE(read_find(reply_of(join({{"record", "250", version}, shown("UNKNOWN", false), {nil}})), {"orders", id}));
    CHECK_FALSE(read_find(reply_of(join({{"record", "250", "1"}, shown("EXPIRED", false), {nil}})), {"orders", id}));
    CHECK(read_find(reply_of(join({{"record", "250", "1"}, shown("UNKNOWN", false), {nil}})), {"orders", id}));
    CHECK_FALSE(read_find(reply_of({"absent", "250"}), {"orders", id})->found);
}

TEST_CASE("an operator's reply shows the record before and after") {
    const auto applied = join({{"applied", "250"}, shown("COMPLETED", true), shown("FAILED", false)});
    const auto answer = read_operator_command(reply_of(applied));
    REQUIRE(answer);
    CHECK(answer->reply.verdict == guard::OperatorVerdict::applied);
    CHECK(answer->reply.before->response->status == 201);
    CHECK(answer->reply.after->state == guard::RecordState::failed);
    CHECK_FALSE(answer->reply.after->response);
    const auto expired = join({{"needs-force", "250"}, shown("EXPIRED", true)});
    CHECK(read_operator_command(reply_of(expired))->reply.before->response);
    const auto unknown = join({{"conflict", "250"}, shown("EXPIRED", false)});
    CHECK_FALSE(read_operator_command(reply_of(unknown))->reply.before->response);
    CHECK(read_operator_command(reply_of({"absent", "250"}))->reply.verdict == guard::OperatorVerdict::absent);
}

TEST_CASE("an operator's reply of another shape can't be read") {
    CHECK_FALSE(read_operator_command(reply_of(join({{"applied", "250"}, shown("UNKNOWN", false)}))));
    CHECK_FALSE(read_operator_command(reply_of(join({{"conflict", "250"}, shown("UNKNOWN", false), shown("FAILED", false)}))));
    CHECK_FALSE(read_operator_command(reply_of({"done", "250"})));
    CHECK_FALSE(read_operator_command(reply_of({"absent"})));
}

TEST_CASE("a listed record that can't be read stands among the others") {
    const auto good = key_of(id, "orders");
    const auto bad = key_of(test::record_id(2), "pay");
    const auto fields = join({{"17", "250", good, "1"}, shown("COMPLETED", true), {bad, "9"}, shown("UNKNOWN", false)});
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
