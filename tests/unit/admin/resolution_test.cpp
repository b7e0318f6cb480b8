#include "admin/resolution.hpp"

#include "catch.hpp"
#include "onceward/crypto/sha256.hpp"

#include <nlohmann/json.hpp>

using namespace onceward;
using namespace onceward::admin;
using Json = nlohmann::ordered_json;

namespace {

config::Route route_of(std::uint64_t max_recorded_body = 1024) {
    config::Route route;
    route.name = "orders";
    route.max_recorded_body = max_recorded_body;
    return route;
}

guard::RecordedResponse completed(const std::string& text) {
    const auto action = read_resolution(Json::parse(text), route_of());
    if (const auto* complaint = std::get_if<std::string>(&action)) {
        FAIL(*complaint);
    }
    const auto& what = std::get<guard::OperatorAction>(action);
    REQUIRE(std::holds_alternative<guard::ResolveCompleted>(what));
    return std::get<guard::ResolveCompleted>(what).response;
}

bool is_refused(const std::string& text) {
    return std::holds_alternative<std::string>(read_resolution(Json::parse(text), route_of()));
}

std::variant<Fence, std::string> fence_of(const std::optional<std::string>& parameter, const char* content = "{}") {
    return read_fence(parameter, Json::parse(content));
}

}  // namespace

TEST_CASE("a completed outcome is an answer to send again") {
    const auto response = completed(
        R"({"outcome": "completed", "status": 201, "headers": {"Content-Type": "text/plain", "X-A": ["1", "2"]}, "body": "böck"})");
    CHECK(response.status == 201);
    CHECK(response.head == "Created\r\nContent-Type: text/plain\r\nX-A: 1\r\nX-A: 2\r\n");
    CHECK(response.body == "böck");
    CHECK(response.digest == crypto::sha256("böck"));
    CHECK_FALSE(response.truncated);
}

TEST_CASE("headers may be a list of pairs, and a body any bytes") {
    const auto response =
        completed(R"({"outcome": "completed", "status": 299, "headers": [["B", " x "], ["A", ""]], "body_base64": "AP8="})");
    CHECK(response.head == "\r\nB: x\r\nA: \r\n");
    CHECK(response.body == std::string("\x00\xff", 2));
}

TEST_CASE("fields of a connection, of Onceward and those that the route never records are left out; Date is the original one") {
    const auto response = completed(
        R"({"outcome": "completed", "status": 200, "headers": {"Content-Length": "9", "Transfer-Encoding": "chunked",
            "Connection": "X-B", "X-B": "1", "Date": "Sat, 31 Jan 2026 12:00:00 GMT", "Set-Cookie": "a=b", "Idempotency-Replayed": "true", "X-A": "1"}})");
    CHECK(response.head == "OK\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\nX-A: 1\r\n");
    CHECK(response.body.empty());
}

TEST_CASE("a failed outcome has no answer") {
    const auto action = read_resolution(Json::parse(R"({"outcome": "failed"})"), route_of());
    REQUIRE(std::holds_alternative<guard::OperatorAction>(action));
    CHECK(std::holds_alternative<guard::ResolveFailed>(std::get<guard::OperatorAction>(action)));
    CHECK(is_refused(R"({"outcome": "failed", "status": 500})"));
    CHECK(is_refused(R"({"outcome": "failed", "body": ""})"));
}

TEST_CASE("a resolution that is not understood is refused") {
    for (const auto* text : {R"({})", R"({"outcome": "done"})", R"({"outcome": 1})", R"({"outcome": "completed"})",
                             R"({"outcome": "completed", "status": 100})", R"({"outcome": "completed", "status": 600})",
                             R"({"outcome": "completed", "status": "200"})", R"({"outcome": "completed", "status": 200.5})",
                             R"({"outcome": "completed", "status": 204, "body": "x"})",
                             R"({"outcome": "completed", "status": 200, "body": {"a": 1}})",
                             R"({"outcome": "completed", "status": 200, "body": "x", "body_base64": "eA=="})",
                             R"({"outcome": "completed", "status": 200, "body_base64": "e"})",
                             R"({"outcome": "completed", "status": 200, "headers": "X: y"})",
                             R"({"outcome": "completed", "status": 200, "headers": {"X Y": "z"}})",
                             R"({"outcome": "completed", "status": 200, "headers": {"X": "a\r\nSet-Cookie: b"}})",
                             R"({"outcome": "completed", "status": 200, "headers": {"X": 1}})",
                             R"({"outcome": "completed", "status": 200, "headers": [["X"]]})"}) {
        CAPTURE(text);
        CHECK(is_refused(text));
    }
    const auto large = Json{{"outcome", "completed"}, {"status", 200}, {"body", std::string(1025, 'x')}};
    CHECK(std::holds_alternative<std::string>(read_resolution(large, route_of())));
}

TEST_CASE("the content is one JSON object with known members; none is an empty one") {
    CHECK(std::get<Json>(parse_object("", {"fence"})).empty());
    CHECK(std::get<Json>(parse_object(" \r\n", {"fence"})).empty());
    CHECK(std::get<Json>(parse_object(R"({"fence": 7})", {"fence"}))["fence"] == 7);
    for (const auto* text : {"[]", "1", "{", "null", "{\"fence\": 7} x", R"({"fenc": 7})"}) {
        CAPTURE(text);
        CHECK(std::holds_alternative<std::string>(parse_object(text, {"fence"})));
    }
    for (const auto* text : {R"({"fence": 7, "fence": 7})", R"({"fence": 7, "fen\u0063e": 8})",
                             R"({"headers": {"X": "a", "X": "b"}})", R"({"headers": [{"a": 1}, {"a": 1, "a": 2}]})"}) {
        CAPTURE(text);
        CHECK(std::get<std::string>(parse_object(text, {"fence", "headers"})) ==
              "the content has a member twice: expected each once");
    }
    CHECK(std::holds_alternative<Json>(
        parse_object(R"({"fence": {"a": 1}, "headers": [{"a": 1}, {"a": 1}]})", {"fence", "headers"})));
    const auto deep = "{\"fence\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    CHECK_NOTHROW(parse_object(deep, {"fence"}));
}

TEST_CASE("the fence is a parameter or a member, and both must agree") {
    CHECK(std::get<Fence>(fence_of("1730000000000000")) == Fence{1'730'000'000'000'000});
    CHECK(std::get<Fence>(fence_of(std::nullopt, R"({"fence": 12})")) == Fence{12});
    CHECK(std::get<Fence>(fence_of(std::nullopt, R"({"fence": "12"})")) == Fence{12});
    CHECK(std::get<Fence>(fence_of("12", R"({"fence": 12})")) == Fence{12});
    CHECK(std::get<std::string>(fence_of(std::nullopt)).empty());
    for (const auto* text : {"", "0", "-1", "1.5", "x", " 1", "99999999999999999999"}) {
        CAPTURE(text);
        const auto fence = fence_of(text);
        REQUIRE(std::holds_alternative<std::string>(fence));
        CHECK_FALSE(std::get<std::string>(fence).empty());
    }
    CHECK_FALSE(std::get<std::string>(fence_of("12", R"({"fence": 13})")).empty());
}
