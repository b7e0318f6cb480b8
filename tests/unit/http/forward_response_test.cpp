#include "catch.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/message_parser.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

using namespace onceward;
using namespace onceward::http;
using Kind = BodyFraming::Kind;

namespace {

RequestHead request(const std::string& text) {
    RequestParser parser({64 * 1024, 100, 8 * 1024});
    RequestHead head;
    if (parser.parse_head(text, head).state != ParseState::done) {
        throw std::invalid_argument(text);
    }
    return head;
}

ResponseHead response(const std::string& text, std::string_view method = "GET") {
    ResponseParser parser;
    ResponseHead head;
    parser.restart(method);
    REQUIRE(parser.parse_head(text, head).state == ParseState::done);
    return head;
}

const RequestHead http11 = request("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
const RequestHead http11_close = request("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
const RequestHead http10 = request("GET / HTTP/1.0\r\n\r\n");
const RequestHead http10_keep = request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
const RequestHead head11 = request("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");

std::string sent(const RequestHead& to, const std::string& text) {
    const auto head = response(text, to.method);
    std::string out;
    append_response_head(out, {.head = head, .request = to, .plan = plan_response(head, to)});
    return out;
}

std::string ok(const std::string& lines) {
    return "HTTP/1.1 200 OK\r\n" + lines + "\r\n";
}

}  // namespace

TEST_CASE("framing towards the client follows its version") {
    struct Row {
        std::string_view rule;
        const RequestHead& to;
        std::string upstream;
        std::string_view sent;
    };
    const Row rows[] = {
        {"a length to 1.1", http11, ok("Content-Length: 05\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nContent-Length: 5\r\n\r\n"},
        {"chunked to 1.1", http11, ok("Transfer-Encoding: chunked\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"close-delimited to 1.1 becomes chunked", http11, ok("Connection: close\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"an HTTP/1.0 upstream", http11, "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n",
         "HTTP/1.1 200 OK\r\nVia: 1.0 onceward\r\nContent-Length: 5\r\n\r\n"},
        {"the client's close is answered", http11_close, ok("Content-Length: 5\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"},
        {"a length to 1.0", http10, ok("Content-Length: 5\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"},
        {"a length to 1.0 with keep-alive", http10_keep, ok("Content-Length: 5\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n"},
        {"chunked to 1.0 ends with the connection", http10_keep, ok("Transfer-Encoding: chunked\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nConnection: close\r\n\r\n"},
        {"HEAD keeps the upstream's length", head11, ok("Content-Length: 5000\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nContent-Length: 5000\r\n\r\n"},
        {"HEAD without a length has none", head11, ok("Transfer-Encoding: chunked\r\n"),
         "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\n\r\n"},
        {"204 carries no framing", http11, "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 204 No Content\r\nVia: 1.1 onceward\r\n\r\n"},
        {"304 carries no framing", http11, "HTTP/1.1 304 Not Modified\r\nETag: x\r\nContent-Length: 9\r\n\r\n",
         "HTTP/1.1 304 Not Modified\r\nETag: x\r\nVia: 1.1 onceward\r\n\r\n"},
    };
    for (const auto& row : rows) {
        INFO(row.rule);
        CHECK(sent(row.to, row.upstream) == row.sent);
    }
}

TEST_CASE("content that is held whole gets its length") {
    const auto head = response(ok("Transfer-Encoding: chunked\r\n"));
    const auto plan = plan_response(head, http10_keep, 42);
    CHECK(plan.framing.kind == Kind::length);
    CHECK(plan.framing.length == 42);
    CHECK(plan.connection == ConnectionUse::keep_alive);
}

TEST_CASE("end-to-end response fields keep order, case, repeats and reason; those of the hop and Onceward's own go") {
    CHECK(
        sent(
            http11,
            "HTTP/1.1 404 Nope \xe9\r\nset-cookie: a\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n"
            "Proxy-Connection: x\r\nSet-Cookie: b\r\nTrailer: X\r\nIdempotency-Status: executed\r\nIdempotency_Replayed: true\r\n"
            "Idempotency-Outcome: executed\r\nIdempotency-Guarded: true\r\nVia: 1.1 inner\r\nDate: d\r\nContent-Length: "
            "0\r\n\r\n") ==
        "HTTP/1.1 404 Nope \xe9\r\nset-cookie: a\r\nSet-Cookie: b\r\nVia: 1.1 inner\r\nDate: d\r\nVia: 1.1 onceward\r\n"
        "Content-Length: 0\r\n\r\n");
}

TEST_CASE("Date is added where the upstream sent none, and Onceward's fields where there are some") {
    const auto head = response(ok("Content-Length: 0\r\nIdempotency-Operation-Id: 1\r\n"));
    ResponseForward in{.head = head, .request = http11, .plan = plan_response(head, http11)};
    in.date = "Sun, 06 Nov 1994 08:49:37 GMT";
    std::string out;
    append_response_head(out, in);
    CHECK(out ==
          "HTTP/1.1 200 OK\r\nIdempotency-Operation-Id: 1\r\nVia: 1.1 onceward\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
          "Content-Length: 0\r\n\r\n");
    in.added_lines = "Idempotency-Operation-Id: 2\r\n";
    out.clear();
    append_response_head(out, in);
    CHECK(out ==
          "HTTP/1.1 200 OK\r\nVia: 1.1 onceward\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nIdempotency-Operation-Id: 2\r\n"
          "Content-Length: 0\r\n\r\n");
}

TEST_CASE("a 101 goes on with the upgrade that it answers") {
    const auto head = response(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Accept: x\r\n\r\n");
    ResponseForward in{.head = head, .request = http11, .plan = plan_response(head, http11)};
    in.tunnel = Tunnel::websocket;
    std::string out;
    append_response_head(out, in);
    CHECK(out ==
          "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nVia: 1.1 onceward\r\nConnection: Upgrade\r\n"
          "Upgrade: websocket\r\n\r\n");
}

TEST_CASE("an interim head goes on without fields of the hop") {
    std::string out;
    append_interim_head(out,
                        response("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: close\r\nContent-Length: 5\r\n\r\n"));
    CHECK(out == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
}

TEST_CASE("response fields that Connection names do not go on, whatever they are") {
    const std::string lines =
        "Connection: X-A, Access-Control-Allow-Origin, Idempotency-Fence, close\r\nX-A: 1\r\nAccess-Control-Allow-Origin: *\r\n"
        "Idempotency-Fence: 1\r\nClose: 1\r\nX-Kept: 1\r\n";
    CHECK(sent(http11, ok(lines + "Content-Length: 0\r\n")) ==
          "HTTP/1.1 200 OK\r\nX-Kept: 1\r\nVia: 1.1 onceward\r\nContent-Length: 0\r\n\r\n");
    std::string out;
    append_interim_head(out, response("HTTP/1.1 103 Early Hints\r\n" + lines + "\r\n"));
    CHECK(out == "HTTP/1.1 103 Early Hints\r\nX-Kept: 1\r\n\r\n");
}

TEST_CASE("CORS fields are extended where they are there and where it is configured") {
    const config::Cors both{true, true};
    const auto preflight = request("OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: o\r\nAccess-Control-Request-Method: POST\r\n\r\n");
    const auto with_cors = [&](const config::Cors* cors, const RequestHead& to, const std::string& lines) {
        const auto head = response("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + lines + "\r\n");
        std::string out;
        append_response_head(out, {.head = head, .request = to, .plan = plan_response(head, to), .date = {}, .cors = cors});
        const std::string_view shell = "HTTP/1.1 200 OK\r\n";
        return out.substr(shell.size(), out.find("Via:") - shell.size());
    };
    const std::string origin = "Access-Control-Allow-Origin: o\r\n";
    const std::string status =
        "Idempotency-Status, Idempotency-Operation-Id, Idempotency-Replayed, Idempotency-Original-Date, "
        "Idempotency-Recorded, Idempotency-Guarded\r\n";
    CHECK(with_cors(&both, http11, "") == "");
    CHECK(with_cors(nullptr, http11, origin) == origin);
    CHECK(with_cors(&both, http11, origin) == origin + "Access-Control-Expose-Headers: " + status);
    CHECK(with_cors(&both, http11, origin + "Access-Control-Expose-Headers: X\r\n") ==
          origin + "Access-Control-Expose-Headers: X, " + status);
    CHECK(with_cors(&both, http11, origin + "access-control-expose-headers: *\r\n") ==
          origin + "access-control-expose-headers: *\r\n");
    CHECK(with_cors(&both, preflight, origin) == origin + "Access-Control-Allow-Headers: Idempotency-Key\r\n");
    CHECK(with_cors(&both, preflight, origin + "Access-Control-Allow-Headers: X, Y\r\n") ==
          origin + "Access-Control-Allow-Headers: X, Y, Idempotency-Key\r\n");
    CHECK(with_cors(&both, preflight, origin + "Access-Control-Allow-Headers: idempotency-key\r\n") ==
          origin + "Access-Control-Allow-Headers: idempotency-key\r\n");
    CHECK(with_cors(&both, preflight, origin + "Access-Control-Allow-Headers:\r\n") ==
          origin + "Access-Control-Allow-Headers: Idempotency-Key\r\n");
}
