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

std::string ok(const std::string& lines) {
    return "HTTP/1.1 200 OK\r\n" + lines + "\r\n";
}

ResponseHead parse(const std::string& text, std::string_view method = "GET") {
    ResponseParser parser;
    ResponseHead head;
    parser.restart(method);
    INFO(text);
    REQUIRE(parser.parse_head(text, head).state == ParseState::done);
    return head;
}

struct Refused {
    std::string_view rule;
    std::string head;
};

}  // namespace

TEST_CASE("a response that is not clean HTTP/1 is refused, wherever it is cut") {
    const std::vector<Refused> rows{
        {"another protocol", "ICY 200 OK\r\nContent-Length: 5\r\n\r\n"},
        {"HTTP/2.0", "HTTP/2.0 200 OK\r\n\r\n"},
        {"HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n"},
        {"a line that is shorter than a status line", "H\r\n\r\n"},
        {"a status line without status", "HTTP/1.1\r\n\r\n"},
        {"a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"},
        {"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"},
        {"a status that is no number", "HTTP/1.1 2x0 OK\r\n\r\n"},
        {"a status under 100", "HTTP/1.1 099 OK\r\n\r\n"},
        {"empty lines", "\r\n\r\n\r\n"},
        {"an empty line before the status line", "\r\nHTTP/1.1 200 OK\r\n\r\n"},
        {"length and coding", ok("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n")},
        {"differing lengths", ok("Content-Length: 3\r\nContent-Length: 4\r\n")},
        {"a list of differing lengths", ok("Content-Length: 3, 4\r\n")},
        {"a list with a gap", ok("Content-Length: 3,\r\n")},
        {"a length that is no number", ok("Content-Length: five\r\n")},
        {"a negative length", ok("Content-Length: -1\r\n")},
        {"a length that overflows", ok("Content-Length: 18446744073709551621\r\n")},
        {"two codings", ok("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
        {"an unknown coding", ok("Transfer-Encoding: gzip\r\n")},
        {"a coding in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"a folded field", ok("X: a\r\n b\r\nContent-Length: 5\r\n")},
        {"bare CR", ok("X: a\rSet-Cookie: evil=1\r\n")},
        {"NUL", ok(std::string("X: a\0b\r\n", 8))},
        {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 5\n\n"},
        {"a line without a colon", ok("Garbage\r\n")},
        {"an empty name", ok(": x\r\n")},
        {"a space before the colon", ok("X : a\r\n")},
        {"a control character in the reason", "HTTP/1.1 200 O\x01K\r\n\r\n"},
    };
    for (const auto& row : rows) {
        for (const auto& sizes : all_cuts(row.head.size())) {
            INFO(row.rule << ", cut at " << sizes.front());
            ResponseParser parser;
            parser.restart("GET");
            REQUIRE(parse_growing<ResponseHead>(parser, row.head, sizes).result.state == ParseState::failed);
        }
    }
}

TEST_CASE("a response head is the same wherever it is cut") {
    const std::string text =
        "HTTP/1.1 404 Not Here \xe9\r\nSet-Cookie: a\r\nX: 1\r\nset-cookie: b\r\nContent-Length: 5, 5\r\n\r\n";
    for (const auto& sizes : all_cuts(text.size())) {
        ResponseParser parser;
        parser.restart("GET");
        const auto parsed = parse_growing<ResponseHead>(parser, text, sizes);
        INFO("cut at " << sizes.front());
        REQUIRE(parsed.result.state == ParseState::done);
        CHECK(parsed.result.consumed == text.size());
        CHECK(parsed.head.status == 404);
        CHECK(parsed.head.reason == "Not Here \xe9");
        CHECK(parsed.head.framing.length == 5);
        CHECK(test::text_of(parsed.head.headers) == "Set-Cookie=a|X=1|set-cookie=b|Content-Length=5, 5|");
    }
}

TEST_CASE("framing and reuse follow version, status, method and fields") {
    struct Row {
        std::string head;
        std::string_view method;
        Kind kind;
        bool keep_alive;
    };
    const std::vector<Row> rows{
        {ok("Content-Length: 5\r\n"), "GET", Kind::length, true},
        {ok("Content-Length: 5\r\nContent-Length: 5\r\n"), "GET", Kind::length, true},
        {ok("Content-Length: 0\r\n"), "GET", Kind::length, true},
        {ok("Transfer-Encoding: CHUNKED\r\n"), "GET", Kind::chunked, true},
        {ok(""), "GET", Kind::until_close, false},
        {ok("Content-Length: 5\r\nConnection: x, Close\r\n"), "GET", Kind::length, false},
        {"HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n", "GET", Kind::length, false},
        {"HTTP/1.0 200 OK\r\n\r\n", "GET", Kind::until_close, false},
        {ok("Content-Length: 5\r\n"), "HEAD", Kind::none, true},
        {ok("Transfer-Encoding: chunked\r\n"), "HEAD", Kind::none, true},
        {ok(""), "HEAD", Kind::none, true},
        {"HTTP/1.1 204 No Content\r\n\r\n", "DELETE", Kind::none, true},
        {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "DELETE", Kind::none, false},
        {"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", "DELETE", Kind::none, false},
        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "GET", Kind::none, true},
        {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "GET", Kind::none, false},
        {"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", "POST", Kind::length, true},
    };
    for (const auto& row : rows) {
        const auto head = parse(row.head, row.method);
        INFO(row.method << " " << row.head);
        CHECK(head.framing.kind == row.kind);
        CHECK(head.keep_alive == row.keep_alive);
    }
}

TEST_CASE("a status line without reason phrase is taken, with or without its space") {
    for (const std::string text : {"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"}) {
        ResponseParser parser;
        ResponseHead head;
        parser.restart("GET");
        const auto result = parser.parse_head(text, head);
        REQUIRE(result.state == ParseState::done);
        CHECK(result.consumed == text.size());
        CHECK(head.status == 200);
        CHECK(head.reason.empty());
        CHECK(head.framing.kind == Kind::length);
    }
}

TEST_CASE("interim heads come one by one before the last") {
    std::string buffer =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok("Content-Length: 2\r\n") + "ok";
    ResponseParser parser;
    ResponseHead head;
    parser.restart("POST");
    for (const int status : {100, 103, 200}) {
        const auto result = parser.parse_head(buffer, head);
        REQUIRE(result.state == ParseState::done);
        REQUIRE(head.status == status);
        CHECK(is_interim(head.status) == (status < 200));
        buffer.erase(0, result.consumed);
    }
    std::string content;
    CHECK(parser.parse_body(buffer, [&](std::string_view piece) { content.append(piece); }).state == ParseState::done);
    CHECK(content == "ok");
}

TEST_CASE("interim heads without end are refused") {
    ResponseParser parser;
    ResponseHead head;
    parser.restart("POST");
    int taken = 0;
    while (taken < 1000 && parser.parse_head("HTTP/1.1 102 Processing\r\n\r\n", head).state == ParseState::done) {
        ++taken;
    }
    CHECK(taken == 100);
}

TEST_CASE("a response head has limits of 256 KiB and 500 fields") {
    ResponseParser parser;
    ResponseHead head;
    const auto fields = [](int count) {
        std::string lines;
        for (int i = 0; i < count; ++i) {
            lines += "X-" + std::to_string(i) + ": 1\r\n";
        }
        return ok(lines);
    };
    parser.restart("GET");
    CHECK(parser.parse_head(fields(500), head).state == ParseState::done);
    parser.restart("GET");
    CHECK(parser.parse_head(fields(501), head).state == ParseState::failed);
    const auto sized = [](std::size_t size) { return ok("X: " + std::string(size - ok("X: \r\n").size(), 'a') + "\r\n"); };
    parser.restart("GET");
    CHECK(parser.parse_head(sized(256 * 1024), head).state == ParseState::done);
    parser.restart("GET");
    CHECK(parser.parse_head(sized(256 * 1024 + 1), head).state == ParseState::failed);
}

TEST_CASE("the end of the connection ends close-delimited content and cuts any other") {
    const auto at_eof = [](const std::string& head_text, const std::string& content) {
        ResponseParser parser;
        ResponseHead head;
        parser.restart("GET");
        REQUIRE(parser.parse_head(head_text, head).state == ParseState::done);
        parser.parse_body(content, [](std::string_view) {});
        return parser.on_eof();
    };
    CHECK(at_eof(ok(""), "abc") == ParseState::done);
    CHECK(at_eof(ok("Content-Length: 3\r\n"), "abc") == ParseState::done);
    CHECK(at_eof(ok("Content-Length: 4\r\n"), "abc") == ParseState::failed);
    CHECK(at_eof(ok("Transfer-Encoding: chunked\r\n"), "3\r\nabc\r\n") == ParseState::failed);
    CHECK(at_eof(ok("Transfer-Encoding: chunked\r\n"), "3\r\nabc\r\n0\r\n") == ParseState::failed);
    CHECK(at_eof(ok("Transfer-Encoding: chunked\r\n"), "3\r\nabc\r\n0\r\n\r\n") == ParseState::done);
}
