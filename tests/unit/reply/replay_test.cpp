#include "onceward/reply/replay.hpp"

#include "catch.hpp"
#include "onceward/http/message_parser.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace onceward;
using namespace onceward::reply;

namespace {

http::RequestHead request(const std::string& text) {
    http::RequestParser parser({64 * 1024, 100, 8 * 1024});
    http::RequestHead head;
    if (parser.parse_head(text, head).state != http::ParseState::done) {
        throw std::invalid_argument(text);
    }
    return head;
}

const http::RequestHead post = request("POST / HTTP/1.1\r\nHost: h\r\n\r\n");
const http::RequestHead post10 = request("POST / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
const http::RequestHead head_request = request("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");

std::string recorded(const std::string& text, const std::vector<std::string>& except = {"Set-Cookie"}) {
    http::ResponseParser parser;
    http::ResponseHead head;
    parser.restart("POST");
    REQUIRE(parser.parse_head(text, head).state == http::ParseState::done);
    std::string out;
    append_recorded_head(out, head, except, "POST");
    return out;
}

guard::Record record(int status, const std::string& head, const std::string& body) {
    guard::Record made;
    made.state = guard::RecordState::completed;
    made.operation_id = OperationId{42};
    made.updated_at = from_micros(784111777'999999);
    made.response = guard::RecordedResponse{status, head, body, false, {}};
    return made;
}

std::string replayed(const guard::Record& of, const http::RequestHead& to, const config::Cors* cors = nullptr) {
    std::string out;
    const Replay in{of, to, http::ConnectionUse::keep_alive, "Mon, 07 Nov 1994 08:49:37 GMT", cors};
    REQUIRE(append_replay_head(out, in) == ReplayError::none);
    return out.append(replay_body(in));
}

const std::string own =
    "Via: 1.1 onceward\r\nDate: Mon, 07 Nov 1994 08:49:37 GMT\r\nIdempotency-Status: replayed\r\n"
    "Idempotency-Operation-Id: 42\r\nIdempotency-Replayed: true\r\n"
    "Idempotency-Original-Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

}  // namespace

TEST_CASE("a recorded head holds the end-to-end fields in their order, and nothing that is made anew") {
    CHECK(recorded("HTTP/1.1 201 Made \xe9\r\nX-B: 2\r\nDate: d\r\nx-a: \xff\r\nConnection: X-Hop\r\nX-Hop: 1\r\nSet-Cookie: "
                   "s\r\nX-B: 3\r\n"
                   "Transfer-Encoding: chunked\r\nTrailer: T\r\nKeep-Alive: 5\r\nIdempotency-Outcome: executed\r\n"
                   "Idempotency-Operation-Id: 1\r\nVia: 1.1 inner\r\n\r\n") ==
          "Made \xe9\r\nX-B: 2\r\nDate: d\r\nx-a: \xff\r\nX-B: 3\r\nVia: 1.1 inner\r\n");
}

TEST_CASE("a replay has a fresh date and tells the first answer's") {
    const auto first = record(201, "Made\r\nX-A: 1\r\nDate: Sat, 05 Nov 1994 01:02:03 GMT\r\nX-B: 2\r\n", "");
    const auto again = replayed(first, post);
    CHECK(again.find("X-A: 1\r\nX-B: 2\r\n") != std::string::npos);
    CHECK(again.find("\r\nDate: Mon, 07 Nov 1994 08:49:37 GMT\r\n") != std::string::npos);
    CHECK(again.find("\r\nIdempotency-Original-Date: Sat, 05 Nov 1994 01:02:03 GMT\r\n") != std::string::npos);
    CHECK(again.find("\r\nDate: Sat") == std::string::npos);
}

TEST_CASE("the length that a HEAD answer told is told again, and to HEAD alone") {
    http::ResponseParser parser;
    http::ResponseHead head;
    parser.restart("HEAD");
    REQUIRE(parser.parse_head("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", head).state == http::ParseState::done);
    std::string text;
    append_recorded_head(text, head, {}, "HEAD");
    CHECK(text == "OK\r\nContent-Length: 5000\r\n");
    CHECK(replayed(record(200, text, ""), head_request).find("Content-Length: 5000\r\n") != std::string::npos);
    const auto to_post = replayed(record(200, text, ""), post);
    CHECK(to_post.find("Content-Length: 0\r\n") != std::string::npos);
    CHECK(to_post.find("5000") == std::string::npos);
}

TEST_CASE("record_headers_except names fields without case") {
    const std::string answer = "HTTP/1.1 200 OK\r\nX-Token: t\r\nSet-Cookie: s\r\nX: 1\r\nContent-Length: 0\r\n\r\n";
    CHECK(recorded(answer, {"x-token"}) == "OK\r\nSet-Cookie: s\r\nX: 1\r\n");
    CHECK(recorded(answer, {}) == "OK\r\nX-Token: t\r\nSet-Cookie: s\r\nX: 1\r\n");
}

TEST_CASE("a replay is the recorded answer with one date and one framing") {
    CHECK(replayed(record(201, "Made \xe9\r\nX-B: 2\r\nX-Empty: \r\nx-b: \xff\r\n", "body"), post) ==
          "HTTP/1.1 201 Made \xe9\r\nX-B: 2\r\nX-Empty: \r\nx-b: \xff\r\n" + own + "Content-Length: 4\r\n\r\nbody");
    CHECK(replayed(record(200, "\r\n", ""), post10) ==
          "HTTP/1.1 200 \r\n" + own + "Content-Length: 0\r\nConnection: keep-alive\r\n\r\n");
}

TEST_CASE("a replay to HEAD, of 204 and of 304 has no content and no framing") {
    CHECK(replayed(record(200, "OK\r\n", "body"), head_request) == "HTTP/1.1 200 OK\r\n" + own + "\r\n");
    CHECK(replayed(record(204, "No Content\r\n", ""), post) == "HTTP/1.1 204 No Content\r\n" + own + "\r\n");
    CHECK(replayed(record(304, "Not Modified\r\n", "x"), post) == "HTTP/1.1 304 Not Modified\r\n" + own + "\r\n");
}

TEST_CASE("CORS fields that were made for another origin are not replayed") {
    const auto from = [](const std::string& origin) {
        return request("POST / HTTP/1.1\r\nHost: h\r\nOrigin: " + origin + "\r\n\r\n");
    };
    const std::string cors = "Access-Control-Allow-Origin: https://a.test\r\nAccess-Control-Allow-Credentials: true\r\n";
    const auto made = record(200, "OK\r\n" + cors + "X: 1\r\n", "");
    const std::string with = "HTTP/1.1 200 OK\r\n" + cors + "X: 1\r\n" + own + "Content-Length: 0\r\n\r\n";
    const std::string without = "HTTP/1.1 200 OK\r\nX: 1\r\n" + own + "Content-Length: 0\r\n\r\n";
    CHECK(replayed(made, from("https://a.test")) == with);
    CHECK(replayed(made, from("https://b.test")) == without);
    CHECK(replayed(made, post) == without);
    const auto open = record(200, "OK\r\nAccess-Control-Allow-Origin: *\r\n", "");
    CHECK(replayed(open, from("https://b.test")).find("Access-Control-Allow-Origin: *\r\n") != std::string::npos);
    const config::Cors expose{false, true};
    CHECK(replayed(open, from("https://b.test"), &expose).find("Access-Control-Expose-Headers: Idempotency-Status, ") !=
          std::string::npos);
    CHECK(replayed(made, from("https://b.test"), &expose).find("Access-Control") == std::string::npos);
}

TEST_CASE("a record whose head can't be sent safely is refused, and nothing is written") {
    struct Row {
        std::string_view rule;
        int status;
        std::string head;
    };
    const std::vector<Row> rows{
        {"nothing", 200, ""},
        {"no line end", 200, "OK"},
        {"bare LF", 200, "OK\nX: 1\n"},
        {"bare LF in the reason", 200, "O\nK\r\n"},
        {"NUL in the reason", 200, std::string("O\0K\r\n", 5)},
        {"an unfinished line", 200, "OK\r\nX: 1"},
        {"an empty line", 200, "OK\r\n\r\nX: 1\r\n"},
        {"a line without a colon", 200, "OK\r\nX\r\n"},
        {"an empty name", 200, "OK\r\n: x\r\n"},
        {"a space before the colon", 200, "OK\r\nX : 1\r\n"},
        {"a fold", 200, "OK\r\nX: 1\r\n 2\r\n"},
        {"bare CR in a value", 200, "OK\r\nX: a\rb\r\n"},
        {"a length that is none", 200, "OK\r\nContent-Length: 3, 3\r\n"},
        {"a coding", 200, "OK\r\nTransfer-Encoding: chunked\r\n"},
        {"a field of the hop", 200, "OK\r\nConnection: close\r\n"},
        {"a field of Onceward's own", 200, "OK\r\nIdempotency-Status: executed\r\n"},
        {"an interim status", 100, "Continue\r\n"},
        {"a status of one digit", 7, "OK\r\n"},
        {"a status of four digits", 1000, "OK\r\n"},
    };
    for (const auto& row : rows) {
        INFO(row.rule);
        std::string out = "before";
        CHECK(append_replay_head(out, {.record = record(row.status, row.head, ""), .request = post}) == ReplayError::unreadable);
        CHECK(out == "before");
    }
    std::string out;
    auto without = record(200, "OK\r\n", "");
    without.response->truncated = true;
    CHECK(append_replay_head(out, {.record = without, .request = post}) == ReplayError::unreadable);
    without.response.reset();
    CHECK(append_replay_head(out, {.record = without, .request = post}) == ReplayError::unreadable);
    CHECK(replay_body({.record = without, .request = post}).empty());
}
