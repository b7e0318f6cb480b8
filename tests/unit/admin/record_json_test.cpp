#include "admin/record_json.hpp"

#include "admin/audit.hpp"
#include "catch.hpp"
#include "onceward/crypto/sha256.hpp"

#include <nlohmann/json.hpp>

using namespace onceward;
using namespace onceward::admin;
using Json = nlohmann::ordered_json;

namespace {

constexpr StoreTime noon{std::chrono::seconds{1'769'860'800}};

guard::Record record_of(guard::RecordState state) {
    guard::Record record;
    record.state = state;
    record.route = "orders";
    record.operation_id.value = 282'914'710'896'644'096;
    record.attempt.value = 2;
    record.fence.value = 1'769'860'800'000'001;
    record.created_at = noon;
    record.updated_at = noon + std::chrono::milliseconds{1500};
    record.lease_until = noon + std::chrono::seconds{15};
    record.keep_until = noon + std::chrono::hours{24};
    record.forget_at = noon + std::chrono::hours{48};
    return record;
}

guard::Record completed_record(const std::string& body) {
    auto record = record_of(guard::RecordState::completed);
    record.response =
        guard::RecordedResponse{201, "Created\r\nContent-Type: text/plain\r\nX-A: \r\n", body, false, crypto::sha256(body)};
    return record;
}

RecordId id_of(std::uint8_t first) {
    RecordId id;
    id.bytes[0] = first;
    return id;
}

}  // namespace

TEST_CASE("a record in a list has these members, in this order") {
    auto record = record_of(guard::RecordState::unknown);
    record.evidence = "lease";
    CHECK(record_json(id_of(0x9f), record).dump() ==
          R"({"id":"9f00000000000000000000000000000000000000000000000000000000000000","route":"orders","state":"UNKNOWN",)"
          R"("operation_id":"282914710896644096","attempt":2,"fence":1769860800000001,"created_at":"2026-01-31T12:00:00.000Z",)"
          R"("updated_at":"2026-01-31T12:00:01.500Z","lease_until":null,"keep_until":"2026-02-01T12:00:00.000Z","status":null,)"
          R"("evidence":"lease"})");
}

TEST_CASE("a lease is shown while it counts, a status where there is an answer") {
    const auto processing = record_json(id_of(1), record_of(guard::RecordState::processing));
    CHECK(processing["lease_until"] == "2026-01-31T12:00:15.000Z");
    CHECK(processing["keep_until"].is_null());
    CHECK(processing["evidence"].is_null());
    CHECK(record_json(id_of(1), completed_record("x"))["status"] == 201);
}

TEST_CASE("a record that can't be read is shown as such") {
    const auto json = record_json(store::ListedRecord{id_of(2), "orders", std::nullopt});
    CHECK(json["state"] == "CORRUPT");
    CHECK(json["route"] == "orders");
}

TEST_CASE("the recorded answer is shown without its body unless it is asked for") {
    const store::FoundRecord found{id_of(3), completed_record("hello")};
    const auto brief = whole_record_json(found, store::Detail::fields);
    CHECK(brief["response"]["status"] == 201);
    CHECK(brief["response"].count("body") == 0);
    CHECK(brief["response"].count("headers") == 0);
    const auto whole = whole_record_json(found, store::Detail::content);
    CHECK(whole["response"]["body"] == "hello");
    CHECK(whole["response"]["headers"] == Json::parse(R"([["Content-Type", "text/plain"], ["X-A", ""]])"));
    const store::FoundRecord binary{id_of(3), completed_record(std::string("\xff\x00", 2))};
    CHECK(whole_record_json(binary, store::Detail::content)["response"]["body_base64"] == "/wA=");
}

TEST_CASE("what made a failure and whether an earlier attempt may have run is told") {
    auto record = record_of(guard::RecordState::failed);
    record.failure = guard::FailureKind::answered;
    record.may = true;
    const auto json = whole_record_json({id_of(4), record}, store::Detail::fields);
    CHECK(json["failure"] == "answered");
    CHECK(json["may"] == true);
    CHECK(json.count("response") == 0);
}

TEST_CASE("an id is 64 hexadecimal digits") {
    CHECK(parse_record_id(std::string(64, 'a')));
    CHECK_FALSE(parse_record_id(std::string(63, 'a')));
    CHECK_FALSE(parse_record_id(std::string(64, 'g')));
    CHECK_FALSE(parse_record_id(""));
}

TEST_CASE("an audit line names state, claim, status and evidence of a record, and nothing that a client sent") {
    auto record = completed_record("secret body");
    record.evidence = "resolved by operator";
    CHECK(short_text(record) == "COMPLETED attempt=2 fence=1769860800000001 status=201 evidence=resolved by operator");
    auto released = record_of(guard::RecordState::failed);
    released.may = true;
    CHECK(short_text(released) == "FAILED attempt=2 fence=1769860800000001 may");
}
