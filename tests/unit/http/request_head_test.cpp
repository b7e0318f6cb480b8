#include "catch.hpp"
#include "onceward/http/message_parser.hpp"
#include "pieces.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace onceward::http;
using test::all_cuts;
using test::parse_growing;
using Kind = BodyFraming::Kind;

namespace {

constexpr HeadLimits small_limits{1024, 10, 100};

std::string get(const std::string& lines) {
    return "GET /a HTTP/1.1\r\nHost: h.test\r\n" + lines + "\r\n";
}
std::string post(const std::string& lines) {
    return "POST /a HTTP/1.1\r\nHost: h.test\r\n" + lines + "\r\n";
}
std::string start(const std::string& line) {
    return line + "\r\nHost: h.test\r\n\r\n";
}
std::string host(const std::string& lines) {
    return "GET /a HTTP/1.1\r\n" + lines + "\r\n";
}

/// `bytes` as they stand, NUL included.
template <std::size_t Size>
std::string raw(const char (&bytes)[Size]) {
    return {bytes, Size - 1};
}

RequestHead parse(const std::string& text) {
    RequestParser parser(small_limits);
    RequestHead head;
    const auto result = parser.parse_head(text, head);
    INFO(text);
    REQUIRE(result.state == ParseState::done);
    return head;
}

struct Refused {
    std::string_view rule;
    std::string head;
    HeadError error = HeadError::bad_request;
};

std::vector<Refused> refused_framing() {
    return {
        {"a length that is no number", post("Content-Length: five\r\n")},
        {"a negative length", post("Content-Length: -5\r\n")},
        {"minus zero", post("Content-Length: -0\r\n")},
        {"a length with a sign", post("Content-Length: +5\r\n")},
        {"a length with a space inside", post("Content-Length: 1 0\r\n")},
        {"a length with a number in front", post("Content-Length: 5abc\r\n")},
        {"a hexadecimal length", post("Content-Length: 0x5\r\n")},
        {"an empty length", post("Content-Length:\r\n")},
        {"a length that overflows 64 bits", post("Content-Length: 18446744073709551621\r\n")},
        {"a length over 2^63 - 1", post("Content-Length: 9223372036854775808\r\n")},
        {"a length of 80 digits", post("Content-Length: 1" + std::string(78, '0') + "5\r\n")},
        {"differing lengths", post("Content-Length: 0\r\nContent-Length: 5\r\n")},
        {"equal lengths twice", post("Content-Length: 5\r\nContent-Length: 5\r\n")},
        {"a list of lengths", post("Content-Length: 5, 5\r\n")},
        {"length and coding", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
        {"coding and length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
        {"an unknown coding", post("Transfer-Encoding: xchunked\r\n")},
        {"identity", post("Transfer-Encoding: identity\r\n")},
        {"gzip", post("Transfer-Encoding: gzip\r\n")},
        {"a coding under chunked", post("Transfer-Encoding: gzip, chunked\r\n")},
        {"chunked not last", post("Transfer-Encoding: chunked, gzip\r\n")},
        {"chunked twice in a list", post("Transfer-Encoding: chunked, chunked\r\n")},
        {"chunked on two lines", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
        {"chunked and an empty line of the same", post("Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n")},
        {"chunked with a parameter", post("Transfer-Encoding: chunked;q=1\r\n")},
        {"chunked in quotes", post("Transfer-Encoding: \"chunked\"\r\n")},
        {"chunked behind a comma", post("Transfer-Encoding: , chunked\r\n")},
        {"an empty coding", post("Transfer-Encoding:\r\n")},
        {"0xA0 before chunked", post("Transfer-Encoding: \xa0"
                                     "chunked\r\n")},
        {"a vertical tab before chunked", post("Transfer-Encoding: \x0b"
                                               "chunked\r\n")},
        {"a coding in HTTP/1.0", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"more names in Connection than a head has a use for",
         [] {
             std::string names;
             for (int i = 0; i < 33; ++i) {
                 names += "a" + std::to_string(i) + ",";
             }
             return get("Connection: " + names + "b\r\n");
         }()},
    };
}

std::vector<Refused> refused_bytes() {
    return {
        {"NUL in a value", get(raw("X: a\0b\r\n"))},
        {"NUL in a name", get(raw("X\0Y: b\r\n"))},
        {"a control character in a name", get("X\x01Y: b\r\n")},
        {"a control character in a value", get("X: a\x01"
                                               "b\r\n")},
        {"DEL in a value", get("X: a\x7f\r\n")},
        {"bare CR in a value", get("X: a\rb\r\n")},
        {"CR CR LF", get("X: a\r\r\n")},
        {"a line that ends in LF", get("X: a\n")},
        {"a head of LF lines", "GET /a HTTP/1.1\nHost: h.test\n\n"},
        {"a head that ends in LF LF", "GET /a HTTP/1.1\r\nHost: h.test\r\nX: b\n\n"},
        {"a folded line", get("X: a\r\n b\r\n")},
        {"a line folded with a tab", get("X: a\r\n\tb\r\n")},
        {"white space before the first field", "GET /a HTTP/1.1\r\n X: 1\r\nHost: h.test\r\n\r\n"},
        {"a space before the colon", get("X : a\r\n")},
        {"a tab before the colon", get("X\t: a\r\n")},
        {"a space in a name", get("Transfer Encoding: chunked\r\n")},
        {"a byte over 127 in a name", get("X\xff: a\r\n")},
        {"a line without a colon", get("Garbage\r\n")},
        {"an empty name", get(": a\r\n")},
        {"two empty lines before the request line", "\r\n\r\n" + get("")},
        {"LF before the request line", "\n" + get("")},
        {"a space before the request line", " " + get("")},
    };
}

std::vector<Refused> refused_start_lines() {
    return {
        {"a space in the target", start("GET /a b HTTP/1.1")},
        {"two spaces before the version", start("GET /a  HTTP/1.1")},
        {"two spaces before the target", start("GET  /a HTTP/1.1")},
        {"a tab for a space", start("GET\t/a HTTP/1.1")},
        {"a space behind the version", start("GET /a HTTP/1.1 ")},
        {"NUL in the target", start(raw("GET /a\0 HTTP/1.1"))},
        {"a control character in the target", start("GET /a\x01\x7f HTTP/1.1")},
        {"bare CR in the request line", start("GET /a\rX: HTTP/1.1")},
        {"a byte over 127 in the target", start("GET /\xc3\xa9 HTTP/1.1")},
        {"a fragment", start("GET /a#b HTTP/1.1")},
        {"a relative target", start("GET a HTTP/1.1")},
        {"authority-form on GET", start("GET h.test:80 HTTP/1.1")},
        {"authority-form with a query", start("GET h.test:80?a HTTP/1.1")},
        {"another scheme", start("GET ftp://h.test/a HTTP/1.1")},
        {"absolute-form without authority", start("GET http:///a HTTP/1.1")},
        {"absolute-form with a port alone", start("GET http://:80/a HTTP/1.1")},
        {"absolute-form with user information", start("GET http://u@h.test/a HTTP/1.1")},
        {"the asterisk on GET", start("GET * HTTP/1.1")},
        {"the asterisk with more", start("OPTIONS *a HTTP/1.1")},
        {"HTTP/2.0", start("GET /a HTTP/2.0")},
        {"HTTP/1.2", start("GET /a HTTP/1.2")},
        {"HTTP/1.10", start("GET /a HTTP/1.10")},
        {"HTTP/1", start("GET /a HTTP/1")},
        {"a version with more", start("GET /a HTTP/1.1x")},
        {"a version in lower case", start("GET /a http/1.1")},
        {"another protocol", start("GET /a XTTP/1.1")},
        {"HTTP/0.9", "GET /a\r\n"},
        {"an empty target", start("GET  HTTP/1.1")},
        {"a method that is no token", start("G(T /a HTTP/1.1")},
        {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        {"a TLS hello", raw("\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03")},
        {"CONNECT", start("CONNECT h.test:443 HTTP/1.1"), HeadError::method_not_allowed},
        {"CONNECT with a path", start("CONNECT /a HTTP/1.1"), HeadError::method_not_allowed},
    };
}

std::vector<Refused> refused_hosts() {
    return {
        {"no Host in HTTP/1.1", host("")},
        {"Host twice", host("Host: h.test\r\nHost: h.test\r\n")},
        {"two different Hosts", host("Host: h.test\r\nHost: evil.test\r\n")},
        {"a space in Host", host("Host: a b\r\n")},
        {"a path in Host", host("Host: h.test/evil\r\n")},
        {"a list in Host", host("Host: h.test, evil.test\r\n")},
        {"user information in Host", host("Host: u@h.test\r\n")},
        {"a port with letters", host("Host: h.test:80x\r\n")},
        {"a port with a sign", host("Host: h.test:+80\r\n")},
        {"a port over 65535", host("Host: h.test:65536\r\n")},
        {"two ports", host("Host: h.test:80:80\r\n")},
        {"an open bracket", host("Host: [::1\r\n")},
        {"something behind a bracket", host("Host: [::1]x\r\n")},
        {"markup in Host", host("Host: <script>x</script>\r\n")},
        {"a byte over 127 in Host", host("Host: h\xff.test\r\n")},
    };
}

std::vector<Refused> refused_sizes() {
    std::string many;
    for (int i = 0; i < 10; ++i) {
        many += "X-" + std::to_string(i) + ": 1\r\n";
    }
    return {
        {"a target over the limit", start("GET /" + std::string(100, 'a') + " HTTP/1.1"), HeadError::target_too_long},
        {"a request line without end", "GET /" + std::string(300, 'a'), HeadError::target_too_long},
        {"a method without end", std::string(300, 'A'), HeadError::target_too_long},
        {"more fields than the limit", get(many), HeadError::headers_too_large},
        {"a field that is too long", get("X: " + std::string(1000, 'a') + "\r\n"), HeadError::headers_too_large},
        {"a field without end", "GET /a HTTP/1.1\r\nX: " + std::string(1010, 'a'), HeadError::headers_too_large},
        {"another expectation", post("Expect: 200-maybe\r\nContent-Length: 5\r\n"), HeadError::expectation_failed},
        {"two expectations, one known", post("Expect: 100-continue\r\nExpect: x\r\n"), HeadError::expectation_failed},
    };
}

void check_refused(const std::vector<Refused>& rows) {
    for (const auto& row : rows) {
        for (const auto& sizes : all_cuts(row.head.size())) {
            INFO(row.rule << ", cut at " << sizes.front());
            RequestParser parser(small_limits);
            const auto parsed = parse_growing<RequestHead>(parser, row.head, sizes);
            REQUIRE(parsed.result.state == ParseState::failed);
            REQUIRE(parsed.result.error == row.error);
            REQUIRE(parsed.result.consumed == 0);
        }
    }
}

}  // namespace

TEST_CASE("a request whose content could be read in two ways is refused, wherever it is cut") {
    check_refused(refused_framing());
}
TEST_CASE("a request head with bytes or lines that are not HTTP is refused, wherever it is cut") {
    check_refused(refused_bytes());
}
TEST_CASE("a request line that is not plain HTTP/1 is refused, wherever it is cut") {
    check_refused(refused_start_lines());
}
TEST_CASE("a request without exactly one valid Host is refused, wherever it is cut") {
    check_refused(refused_hosts());
}
TEST_CASE("a request head over a limit is refused with the limit's own error, wherever it is cut") {
    check_refused(refused_sizes());
}

TEST_CASE("bytes that can't become HTTP/1 are refused before a line end comes") {
    for (const std::string& text :
         {raw("\x16\x03\x01"), std::string("\xff"), std::string(" "), std::string("GET /a\n"), std::string("{\x01")}) {
        RequestParser parser(small_limits);
        RequestHead head;
        INFO(text);
        CHECK(parser.parse_head(text, head).state == ParseState::failed);
    }
}

TEST_CASE("a head is the same wherever it is cut, and what follows it is left alone") {
    const std::string text =
        "\r\nPOST /a/b?c=d HTTP/1.1\r\nHost: h.test:8080\r\nX-Empty:\r\nx-A: \t1, 2 \t\r\nContent-Length: 005\r\nX-A: 3\r\n\r\n";
    const std::string behind = "helloGET / HTTP/1.1\r\n";
    for (const auto& sizes : all_cuts(text.size())) {
        INFO("cut at " << sizes.front());
        RequestParser parser(small_limits);
        auto with_rest = sizes;
        with_rest.back() = text.size() + behind.size();
        const auto parsed = parse_growing<RequestHead>(parser, text + behind, with_rest);
        REQUIRE(parsed.result.state == ParseState::done);
        REQUIRE(parsed.result.consumed == text.size());
        CHECK(parsed.head.method == "POST");
        CHECK(parsed.head.target == "/a/b?c=d");
        CHECK(parsed.head.path == "/a/b");
        CHECK(parsed.head.query == "c=d");
        CHECK(parsed.head.has_query);
        CHECK(parsed.head.host == "h.test:8080");
        CHECK(parsed.head.framing.kind == Kind::length);
        CHECK(parsed.head.framing.length == 5);
        CHECK(test::text_of(parsed.head.headers) == "Host=h.test:8080|X-Empty=|x-A=1, 2|Content-Length=005|X-A=3|");
    }
}

TEST_CASE("a parser is used for one request after the other") {
    RequestParser parser(small_limits);
    RequestHead head;
    std::string buffer = post("Content-Length: 3\r\n") + "abc" + start("GET /two HTTP/1.1");
    auto result = parser.parse_head(buffer, head);
    REQUIRE(result.state == ParseState::done);
    buffer.erase(0, result.consumed);
    std::string content;
    const auto body = parser.parse_body(buffer, [&](std::string_view piece) { content.append(piece); });
    CHECK(body.state == ParseState::done);
    CHECK(content == "abc");
    buffer.erase(0, body.consumed);
    parser.restart();
    result = parser.parse_head(buffer, head);
    REQUIRE(result.state == ParseState::done);
    CHECK(result.consumed == buffer.size());
    CHECK(head.path == "/two");
    CHECK(head.framing.kind == Kind::none);
    CHECK(parser.body_state() == ParseState::done);
}

TEST_CASE("framing of a request") {
    CHECK(parse(get("")).framing.kind == Kind::none);
    CHECK(parse(post("")).framing.kind == Kind::none);
    CHECK(parse(post("tRANSFER-eNCODING:   ChUnKeD  \r\n")).framing.kind == Kind::chunked);
    CHECK(parse(post("cOnTeNt-LeNgTh:\t 5 \t\r\n")).framing.length == 5);
    CHECK(parse(post("Content-Length: 9223372036854775807\r\n")).framing.length == 9223372036854775807U);
    CHECK(parse(post("Content-Length: 0\r\n")).framing.kind == Kind::length);
    CHECK(parse(post("Connection: Content-Length\r\nContent-Length: 5\r\n")).framing.length == 5);
    CHECK(parse(post("Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n")).framing.kind == Kind::chunked);
}

TEST_CASE("a client connection goes on by version and Connection, over all lines and in any case") {
    CHECK(parse(get("")).keep_alive);
    CHECK_FALSE(parse(get("Connection: close\r\n")).keep_alive);
    CHECK_FALSE(parse(get("Connection: foo, CLOSE\r\n")).keep_alive);
    CHECK_FALSE(parse(get("Connection: keep-alive\r\nconnection: Close\r\n")).keep_alive);
    CHECK_FALSE(parse("GET /a HTTP/1.0\r\n\r\n").keep_alive);
    CHECK(parse("GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
    CHECK_FALSE(parse("GET /a HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").keep_alive);
}

TEST_CASE("100-continue is expected only by an HTTP/1.1 client with content to send") {
    CHECK(parse(post("EXPECT: 100-Continue\r\nContent-Length: 5\r\n")).expects_continue);
    CHECK(parse(post("Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n")).expects_continue);
    CHECK_FALSE(parse(post("Expect: 100-continue\r\n")).expects_continue);
    CHECK_FALSE(parse(post("Expect: 100-continue\r\nContent-Length: 0\r\n")).expects_continue);
    CHECK_FALSE(parse("POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").expects_continue);
    CHECK_FALSE(parse("POST /a HTTP/1.0\r\nExpect: x\r\nContent-Length: 5\r\n\r\n").expects_continue);
}

TEST_CASE("a websocket upgrade needs HTTP/1.1, GET and Connection") {
    CHECK(parse(get("Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n")).upgrade_websocket);
    CHECK_FALSE(parse(get("Upgrade: websocket\r\n")).upgrade_websocket);
    CHECK_FALSE(parse(get("Connection: upgrade\r\nUpgrade: h2c\r\n")).upgrade_websocket);
    CHECK_FALSE(parse(post("Connection: upgrade\r\nUpgrade: websocket\r\n")).upgrade_websocket);
    CHECK_FALSE(parse("GET /a HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n").upgrade_websocket);
}

TEST_CASE("forms of the target") {
    struct Row {
        std::string line;
        std::string_view path;
        std::string_view query;
        std::string_view host;
    };
    const std::vector<Row> rows{
        {"GET / HTTP/1.1", "/", "", "h.test"},
        {"GET /? HTTP/1.1", "/", "", "h.test"},
        {"GET /a%2F//./../b;p=1?x=%20&u=http://x/?y HTTP/1.1", "/a%2F//./../b;p=1", "x=%20&u=http://x/?y", "h.test"},
        {"GET //evil.test/a HTTP/1.1", "//evil.test/a", "", "h.test"},
        {"GET /a|b\"{}^`<>\\ HTTP/1.1", "/a|b\"{}^`<>\\", "", "h.test"},
        {"GET http://right.test/a?b HTTP/1.1", "/a", "b", "right.test"},
        {"GET HTTPS://right.test:8443 HTTP/1.1", "/", "", "right.test:8443"},
        {"GET http://right.test?b HTTP/1.1", "/", "b", "right.test"},
        {"GET http://[::1]:80/a HTTP/1.1", "/a", "", "[::1]:80"},
        {"OPTIONS * HTTP/1.1", "*", "", "h.test"},
        {"OPTIONS http://right.test HTTP/1.1", "*", "", "right.test"},
        {"OPTIONS http://right.test/ HTTP/1.1", "/", "", "right.test"},
        {"purge /a HTTP/1.1", "/a", "", "h.test"},
    };
    for (const auto& row : rows) {
        const auto head = parse(start(row.line));
        INFO(row.line);
        CHECK(head.path == row.path);
        CHECK(head.query == row.query);
        CHECK(head.host == row.host);
    }
    CHECK(parse(start("GET /? HTTP/1.1")).has_query);
    CHECK(parse(start("get / HTTP/1.1")).method == "get");
}

TEST_CASE("valid Hosts") {
    for (const std::string value :
         {"h.test", "h.test:", "h.test:65535", "127.0.0.1:1", "[::1]", "[fe80::1]:8080", "a_b-c.d", "%41.test", ""}) {
        INFO(value);
        CHECK(parse(host("Host: " + value + "\r\n")).host == value);
    }
    CHECK(parse("GET /a HTTP/1.0\r\n\r\n").host.empty());
    CHECK(parse("GET /a HTTP/1.0\r\nHost: h.test\r\n\r\n").host == "h.test");
}

TEST_CASE("limits of a head are exact") {
    const std::string shell = get("X: \r\n");
    const auto padded = [&](std::size_t size) { return get("X: " + std::string(size - shell.size(), 'a') + "\r\n"); };
    RequestHead head;
    CHECK(RequestParser(small_limits).parse_head(padded(1024), head).state == ParseState::done);
    CHECK(RequestParser(small_limits).parse_head(padded(1025), head).error == HeadError::headers_too_large);
    std::string nine;
    for (int i = 0; i < 9; ++i) {
        nine += "X-" + std::to_string(i) + ": 1\r\n";
    }
    CHECK(RequestParser(small_limits).parse_head(get(nine), head).state == ParseState::done);
    const auto target = [](std::size_t size) { return start("GET /" + std::string(size - 1, 'a') + " HTTP/1.1"); };
    CHECK(RequestParser(small_limits).parse_head(target(100), head).state == ParseState::done);
    CHECK(RequestParser(small_limits).parse_head(target(101), head).error == HeadError::target_too_long);
}

TEST_CASE("a field value of 64 KiB and bytes over 127 in values are kept") {
    RequestParser parser({1024 * 1024, 100, 8192});
    RequestHead head;
    const std::string value(70'000, 'v');
    REQUIRE(parser.parse_head(get("X-Big: " + value + "\r\nX-Latin: caf\xe9 \xff\r\n"), head).state == ParseState::done);
    CHECK(head.headers.find("x-big") == value);
    CHECK(head.headers.find("x-latin") == "caf\xe9 \xff");
}
