#include "catch.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/message_parser.hpp"

#include <array>
#include <string>
#include <string_view>

using namespace onceward;
using namespace onceward::http;
using Kind = BodyFraming::Kind;

namespace {

RequestHead parse(const std::string& text) {
    RequestParser parser({64 * 1024, 100, 8 * 1024});
    RequestHead head;
    INFO(text);
    REQUIRE(parser.parse_head(text, head).state == ParseState::done);
    return head;
}

RequestHead get(const std::string& lines) {
    return parse("GET /a?b HTTP/1.1\r\nHost: h.test\r\n" + lines + "\r\n");
}

/// The lines behind the request line, Host, Via and X-Forwarded-* that each of these requests is sent with.
std::string forwarded_lines(const RequestForward& in) {
    std::string out;
    append_request_head(out, in);
    INFO(out);
    const std::string start = "GET /a?b HTTP/1.1\r\nHost: h.test\r\n";
    REQUIRE(out.substr(0, start.size()) == start);
    const std::string usual =
        "Via: 1.1 onceward\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h.test\r\n";
    const auto at = out.find(usual);
    REQUIRE(at != std::string::npos);
    REQUIRE(out.substr(out.size() - 4) == "\r\n\r\n");
    out.erase(at, usual.size());
    return out.substr(start.size(), out.size() - start.size() - 2);
}

RequestForward plain(const RequestHead& head) {
    RequestForward in{.head = head, .framing = head.framing, .client = {"192.0.2.1", "http", PeerTrust::untrusted}};
    in.default_host = "upstream.test:3000";
    return in;
}

std::string lines_after(const std::string& lines) {
    const auto head = get(lines);
    return forwarded_lines(plain(head));
}

/// From a trusted peer; 198.51.100.8 and 2001:db8::/32 are trusted too.
RequestForward trusted(const RequestHead& head) {
    static const std::array<config::Cidr, 2> proxies{
        config::Cidr{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 51, 100, 8}, 128},
        config::Cidr{{0x20, 0x01, 0x0d, 0xb8}, 32}};
    auto in = plain(head);
    in.client.trust = PeerTrust::trusted;
    in.client.proxies = proxies;
    return in;
}

std::string whole(const RequestForward& in) {
    std::string out;
    append_request_head(out, in);
    return out;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("end-to-end fields go on in their order, with their case, repeats and bytes") {
    CHECK(lines_after(
              "x-B: 2\r\nX-A: 1, \"a b\"\r\nX-Empty:\r\nx-b: \xe9\r\nAuthorization: Basic x\r\nProxy-Authorization: y\r\n") ==
          "x-B: 2\r\nX-A: 1, \"a b\"\r\nX-Empty: \r\nx-b: \xe9\r\nAuthorization: Basic x\r\nProxy-Authorization: y\r\n");
}

TEST_CASE("fields of the hop do not go on") {
    struct Row {
        std::string_view rule;
        std::string lines;
        std::string_view sent;
    };
    const Row rows[] = {
        {"hop-by-hop by definition",
         "Keep-Alive: 5\r\nProxy-Connection: x\r\nTE: gzip\r\nUpgrade: foo/2\r\nTrailer: X\r\nX: 1\r\n", "X: 1\r\n"},
        {"named by Connection, all lines, any case",
         "Connection: X-ONE\r\nx-one: 1\r\ncONNECTION: x-two , keep-alive\r\nX-Two: 2\r\n", ""},
        {"Connection can't take the key away", "Connection: Idempotency-Key\r\nIdempotency-Key: k\r\n", "Idempotency-Key: k\r\n"},
        {"Connection can't take Host away", "Connection: Host\r\n", ""},
        {"TE goes on as trailers alone, with Connection", "Connection: te\r\nTE: gzip, trailers\r\n",
         "TE: trailers\r\nConnection: TE\r\n"},
        {"TE without Connection", "TE: trailers\r\n", ""},
        {"Connection: TE without trailers", "Connection: TE\r\nTE: gzip\r\n", ""},
        {"an upgrade that is not tunnelled", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n", ""},
        {"close", "Connection: close\r\nX: 1\r\nClose: 1\r\n", "X: 1\r\n"},
        {"named by Connection, fields that have rules of their own",
         "Connection: Date, Access-Control-Request-Method, Idempotency-Status\r\nDate: x\r\nAccess-Control-Request-Method: x\r\n"
         "Idempotency-Status: x\r\n",
         ""},
        {"claim fields of the client, however spelt",
         "Idempotency-Operation-Id: 1\r\nIDEMPOTENCY_ATTEMPT: 2\r\nIdempotency-Fence: 3\r\nidempotency_operation-id: 4\r\n", ""},
        {"X-Forwarded-* and Forwarded of a client, however spelt",
         "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Host: e\r\nX-Forwarded-Proto: https\r\nX_Forwarded_For: "
         "6.6.6.6\r\nX-Forwarded-Port: 1\r\n"
         "Forwarded: for=6.6.6.6\r\n",
         ""},
    };
    for (const auto& row : rows) {
        INFO(row.rule);
        CHECK(lines_after(row.lines) == row.sent);
    }
}

TEST_CASE("a header that the route reads can't be taken away by Connection") {
    const auto head = get("Connection: X-Tenant, X-Request, X-Other\r\nX-Tenant: t\r\nX-Request: k\r\nX-Other: o\r\n");
    const std::array<std::string_view, 1> keys{"x-request"};
    const std::array<std::string_view, 1> read{"x-tenant"};
    auto in = plain(head);
    in.key_headers = keys;
    in.read_headers = read;
    CHECK(forwarded_lines(in) == "X-Tenant: t\r\nX-Request: k\r\n");
}

TEST_CASE("exactly one framing is written, whatever came") {
    const auto head = parse("POST /a?b HTTP/1.1\r\nHost: h.test\r\nContent-Length: 005\r\nExpect: 100-continue\r\n\r\n");
    const std::string sent = whole(plain(head));
    CHECK(contains(sent, "\r\nContent-Length: 5\r\n\r\n"));
    CHECK_FALSE(contains(sent, "005"));
    CHECK_FALSE(contains(sent, "Expect"));
    auto in = plain(head);
    in.framing = {Kind::chunked, 0};
    CHECK(contains(whole(in), "\r\nTransfer-Encoding: chunked\r\n\r\n"));
    CHECK_FALSE(contains(whole(in), "Content-Length"));
    in.framing = {Kind::length, 0};
    CHECK(contains(whole(in), "\r\nContent-Length: 0\r\n\r\n"));
    in.framing = {Kind::none, 0};
    CHECK_FALSE(contains(whole(in), "Content-Length"));
    CHECK_FALSE(contains(whole(in), "Transfer-Encoding"));
}

TEST_CASE("the request line keeps the target, in origin-form") {
    const auto line = [](const std::string& start) {
        const auto head = parse(start + "\r\nHost: h.test\r\n\r\n");
        const std::string sent = whole(plain(head));
        return sent.substr(0, sent.find("X-") - sizeof("Via: 1.1 onceward\r\n") + 1);
    };
    CHECK(line("GET /%2e%2E//x/../w;p=1?q=%20&e=&u=http://x/?y HTTP/1.1") ==
          "GET /%2e%2E//x/../w;p=1?q=%20&e=&u=http://x/?y HTTP/1.1\r\nHost: h.test\r\n");
    CHECK(line("purge /a? HTTP/1.1") == "purge /a? HTTP/1.1\r\nHost: h.test\r\n");
    CHECK(line("GET http://right.test:81/a?b HTTP/1.1") == "GET /a?b HTTP/1.1\r\nHost: right.test:81\r\n");
    CHECK(line("GET http://right.test HTTP/1.1") == "GET / HTTP/1.1\r\nHost: right.test\r\n");
    CHECK(line("GET http://right.test? HTTP/1.1") == "GET /? HTTP/1.1\r\nHost: right.test\r\n");
    CHECK(line("OPTIONS * HTTP/1.1") == "OPTIONS * HTTP/1.1\r\nHost: h.test\r\n");
    CHECK(line("GET /a HTTP/1.0") == "GET /a HTTP/1.1\r\nHost: h.test\r\n");
}

TEST_CASE("a request without Host goes on with the upstream's, and says nothing of a host") {
    const auto head = parse("GET /a HTTP/1.0\r\n\r\n");
    const std::string sent = whole(plain(head));
    CHECK(sent ==
          "GET /a HTTP/1.1\r\nHost: upstream.test:3000\r\nVia: 1.0 onceward\r\nX-Forwarded-For: 192.0.2.1\r\n"
          "X-Forwarded-Proto: http\r\n\r\n");
}

TEST_CASE("Via is added behind the members that are there") {
    const auto head = get("Via: 1.0 first\r\nX: 1\r\n");
    CHECK(contains(whole(plain(head)), "Via: 1.0 first\r\nX: 1\r\nVia: 1.1 onceward\r\n"));
}

TEST_CASE("a trusted peer's word about the client is kept and added to") {
    const auto head = get(
        "X-Forwarded-For: 198.51.100.7\r\nX-Forwarded-For: 198.51.100.8\r\nX-Forwarded-Proto: https\r\n"
        "X-Forwarded-Host: shop.test\r\nX-Forwarded-Port: 443\r\nX_Forwarded_For: 6.6.6.6\r\nForwarded: for=198.51.100.7\r\n");
    const std::string sent = whole(trusted(head));
    CHECK(contains(sent, "\r\nX-Forwarded-For: 198.51.100.7, 198.51.100.8, 192.0.2.1\r\n"));
    CHECK(contains(sent, "\r\nX-Forwarded-Proto: https\r\n"));
    CHECK(contains(sent, "\r\nX-Forwarded-Host: shop.test\r\n"));
    CHECK(contains(sent, "\r\nX-Forwarded-Port: 443\r\n"));
    CHECK(contains(sent, "\r\nForwarded: for=198.51.100.7\r\n"));
    CHECK_FALSE(contains(sent, "6.6.6.6"));
    CHECK_FALSE(contains(sent, "X-Forwarded-Proto: http\r\n"));
    CHECK_FALSE(contains(sent, "X-Forwarded-Host: h.test\r\n"));
    const auto silent = get("");
    CHECK(contains(whole(trusted(silent)),
                   "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: h.test\r\n"));
}

TEST_CASE("a list of proxies is believed from the right, up to the first that is not trusted") {
    struct Row {
        std::string field;
        std::string sent;
    };
    const Row rows[] = {
        {"X-Forwarded-For: 6.6.6.6, 198.51.100.7", "X-Forwarded-For: 198.51.100.7, 192.0.2.1"},
        {"X-Forwarded-For: 6.6.6.6, 198.51.100.7, 198.51.100.8", "X-Forwarded-For: 198.51.100.7, 198.51.100.8, 192.0.2.1"},
        {"X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 198.51.100.7,198.51.100.8:4711",
         "X-Forwarded-For: 198.51.100.7, 198.51.100.8:4711, 192.0.2.1"},
        {"X-Forwarded-For: 6.6.6.6, 198.51.100.7, 2001:db8::1, [2001:db8::2]:80",
         "X-Forwarded-For: 198.51.100.7, 2001:db8::1, [2001:db8::2]:80, 192.0.2.1"},
        {"X-Forwarded-For: 198.51.100.8, 198.51.100.8", "X-Forwarded-For: 198.51.100.8, 198.51.100.8, 192.0.2.1"},
        {"X-Forwarded-For: 198.51.100.8, unknown, 198.51.100.8", "X-Forwarded-For: unknown, 198.51.100.8, 192.0.2.1"},
        {"X-Forwarded-For: 198.51.100.8, [2001:db8::1", "X-Forwarded-For: [2001:db8::1, 192.0.2.1"},
        {"X-Forwarded-For: , ,", "X-Forwarded-For: 192.0.2.1"},
        {"Forwarded: for=6.6.6.6, for=198.51.100.7;proto=https, By=x;For=\"198.51.100.8:1\"",
         "Forwarded: for=198.51.100.7;proto=https, By=x;For=\"198.51.100.8:1\""},
        {"Forwarded: for=198.51.100.8, proto=https", "Forwarded: proto=https"},
        {"Forwarded: for=6.6.6.6, for=\"[2001:db8:cafe::17]:4711\"", "Forwarded: for=6.6.6.6, for=\"[2001:db8:cafe::17]:4711\""},
    };
    for (const auto& row : rows) {
        const auto head = get(row.field + "\r\n");
        const auto sent = whole(trusted(head));
        INFO(sent);
        CHECK(contains(sent, "\r\n" + row.sent + "\r\n"));
    }
}

TEST_CASE("Connection can't take away what Onceward says") {
    const auto head =
        get("Connection: X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, Forwarded, Via, traceparent, X-Request-Id, "
            "Idempotency-Operation-Id, Idempotency-Attempt, Idempotency-Fence, Host, Content-Length\r\n");
    auto in = plain(head);
    in.forwarded = true;
    in.claim = ClaimFields{OperationId{1}, Attempt{2}, Fence{3}};
    in.new_traceparent = "00-t";
    in.new_request_id = "id";
    in.framing = {Kind::length, 7};
    CHECK(forwarded_lines(in) ==
          "Forwarded: for=192.0.2.1;host=\"h.test\";proto=http\r\ntraceparent: 00-t\r\nX-Request-Id: id\r\n"
          "Idempotency-Operation-Id: 1\r\nIdempotency-Attempt: 2\r\nIdempotency-Fence: 3\r\nContent-Length: 7\r\n");
}

TEST_CASE("a field that reads like one of Onceward's where - and _ are the same does not go on") {
    CHECK(lines_after("X_Request_Id: a\r\nx-request_id: b\r\nContent_Length: 3\r\nTransfer_encoding: chunked\r\nX_Other: 1\r\n"
                      "X_Forwarded_Proto: https\r\nidempotency_fence: 9\r\n") == "X_Other: 1\r\n");
    const auto head = get("Idempotency-Key: k\r\nOrder_Id: spoofed\r\norder-id: spoofed\r\nX_Request_Id: tenant\r\n");
    const std::array<std::string_view, 1> keys{"Idempotency-Key"};
    const std::array<std::string_view, 1> read{"X_Request_Id"};
    const config::ForwardKey forward_key{config::ForwardKey::Kind::rename, "Order-Id"};
    auto in = plain(head);
    in.key_headers = keys;
    in.read_headers = read;
    in.forward_key = &forward_key;
    CHECK(forwarded_lines(in) == "Order-Id: k\r\nX_Request_Id: tenant\r\n");
}

TEST_CASE("a peer on a unix socket has no address to forward") {
    const auto head = get("");
    auto in = plain(head);
    in.client.address = {};
    CHECK_FALSE(contains(whole(in), "X-Forwarded-For"));
    in.forwarded = true;
    CHECK(contains(whole(in), "Forwarded: for=unknown;host=\"h.test\";proto=http\r\n"));
}

TEST_CASE("Forwarded is written where it is asked for, IPv6 in brackets") {
    const auto head = get("");
    auto in = plain(head);
    in.forwarded = true;
    CHECK(contains(whole(in), "Forwarded: for=192.0.2.1;host=\"h.test\";proto=http\r\n"));
    in.client = {"2001:db8::1", "https", PeerTrust::untrusted};
    CHECK(contains(whole(in), "Forwarded: for=\"[2001:db8::1]\";host=\"h.test\";proto=https\r\n"));
    CHECK(contains(whole(in), "X-Forwarded-For: 2001:db8::1\r\nX-Forwarded-Proto: https\r\n"));
}

TEST_CASE("a guarded request carries its claim, never the client's") {
    const auto head = get("Idempotency-Fence: 99\r\n");
    auto in = plain(head);
    in.claim = ClaimFields{OperationId{1234567890123456789}, Attempt{2}, Fence{77}};
    CHECK(forwarded_lines(in) ==
          "Idempotency-Operation-Id: 1234567890123456789\r\nIdempotency-Attempt: 2\r\nIdempotency-Fence: 77\r\n");
}

TEST_CASE("forward_key keeps, strips or renames the key's header") {
    const auto head = get("X-Request: k\r\nOrder-Id: spoofed\r\nidempotency-key: k\r\nX: 1\r\n");
    const std::array<std::string_view, 2> keys{"Idempotency-Key", "X-Request"};
    config::ForwardKey forward_key;
    auto in = plain(head);
    in.key_headers = keys;
    in.forward_key = &forward_key;
    CHECK(forwarded_lines(in) == "X-Request: k\r\nOrder-Id: spoofed\r\nidempotency-key: k\r\nX: 1\r\n");
    forward_key.kind = config::ForwardKey::Kind::strip;
    CHECK(forwarded_lines(in) == "Order-Id: spoofed\r\nX: 1\r\n");
    forward_key = {config::ForwardKey::Kind::rename, "Order-Id"};
    CHECK(forwarded_lines(in) == "Order-Id: k\r\nX: 1\r\n");
}

TEST_CASE("a trace is passed on, or started where there is none") {
    const std::string given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const std::string made = "00-abababababababababababababababab-abababababababab-01";
    const auto sent = [&](const std::string& lines) {
        const auto head = get(lines);
        auto in = plain(head);
        in.new_traceparent = made;
        return forwarded_lines(in);
    };
    CHECK(sent("traceparent: " + given + "\r\ntracestate: a=b\r\n") == "traceparent: " + given + "\r\ntracestate: a=b\r\n");
    CHECK(sent("") == "traceparent: " + made + "\r\n");
    CHECK(sent("traceparent: junk\r\ntracestate: a=b\r\n") == "traceparent: " + made + "\r\n");
    CHECK(lines_after("traceparent: junk\r\n") == "traceparent: junk\r\n");
}

TEST_CASE("a request id goes on as it came, or a new one in its place") {
    const std::string made = "abababababababababababababababab";
    const auto sent = [&](const std::string& lines, std::string_view new_id) {
        const auto head = get(lines);
        auto in = plain(head);
        in.new_request_id = new_id;
        return forwarded_lines(in);
    };
    CHECK(sent("x-request-id: client-1\r\n", "") == "x-request-id: client-1\r\n");
    CHECK(sent("X-Request-Id: client-1\r\nConnection: x-request-id\r\n", "") == "X-Request-Id: client-1\r\n");
    CHECK(sent("", made) == "X-Request-Id: " + made + "\r\n");
    CHECK(sent("X-Request-Id: a b\r\nX-Request-Id: c\r\nX: 1\r\n", made) == "X: 1\r\nX-Request-Id: " + made + "\r\n");
}

TEST_CASE("a key that is taken from the request id goes on as a key does") {
    const auto head = get("X-Request-Id: k k\r\nX: 1\r\n");
    const std::array<std::string_view, 1> keys{"x-request-id"};
    config::ForwardKey forward_key;
    auto in = plain(head);
    in.key_headers = keys;
    in.forward_key = &forward_key;
    in.new_request_id = "made";
    CHECK(forwarded_lines(in) == "X-Request-Id: k k\r\nX: 1\r\n");
    forward_key = {config::ForwardKey::Kind::rename, "Order-Id"};
    CHECK(forwarded_lines(in) == "Order-Id: k k\r\nX: 1\r\n");
}

TEST_CASE("an upgrade to a tunnel goes on hop by hop") {
    const auto head = get("Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n");
    auto in = plain(head);
    in.tunnel = Tunnel::websocket;
    CHECK(forwarded_lines(in) == "Sec-WebSocket-Key: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
}

TEST_CASE("Max-Forwards ends OPTIONS and TRACE at 0 and counts down before") {
    const auto request = [](const std::string& method, const std::string& value) {
        return parse(method + " /a HTTP/1.1\r\nHost: h.test\r\nMax-Forwards: " + value + "\r\n\r\n");
    };
    CHECK(ends_here(request("OPTIONS", "0")));
    CHECK(ends_here(request("TRACE", "00")));
    CHECK_FALSE(ends_here(request("GET", "0")));
    CHECK_FALSE(ends_here(request("TRACE", "1")));
    CHECK_FALSE(ends_here(request("TRACE", "x")));
    CHECK_FALSE(ends_here(get("")));
    const auto trace = request("TRACE", "3");
    CHECK(contains(whole(plain(trace)), "\r\nMax-Forwards: 2\r\n"));
    const auto other = request("GET", "3");
    CHECK(contains(whole(plain(other)), "\r\nMax-Forwards: 3\r\n"));
}
