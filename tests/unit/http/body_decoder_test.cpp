#include "onceward/http/body_decoder.hpp"

#include "catch.hpp"
#include "pieces.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace onceward::http;
using Kind = BodyFraming::Kind;

namespace {

struct Decoded {
    ParseState state = ParseState::need_more;
    std::size_t consumed = 0;
    std::string content;
    std::string trailers;
};

/// Each piece is given once and then dropped, as from a read buffer.
Decoded decode(const BodyFraming& framing, std::string_view text, const std::vector<std::size_t>& cuts,
               const BodyLimits& limits = {}) {
    BodyDecoder decoder(limits);
    decoder.start(framing);
    Decoded decoded{decoder.state(), 0, {}, {}};
    for (const std::size_t cut : cuts) {
        const std::string piece(text.substr(decoded.consumed, cut - decoded.consumed));
        const auto result = decoder.feed(piece, [&](std::string_view content) { decoded.content.append(content); });
        decoded.state = result.state;
        decoded.consumed += result.consumed;
        if (result.state != ParseState::need_more) {
            break;
        }
        REQUIRE(result.consumed == piece.size());
    }
    decoded.trailers = test::text_of(decoder.trailers());
    return decoded;
}

constexpr BodyFraming chunked{Kind::chunked, 0};

}  // namespace

TEST_CASE("content is the same wherever it is cut, and what follows is left alone") {
    struct Row {
        std::string_view rule;
        BodyFraming framing;
        std::string text;
        std::string_view content;
        std::string_view trailers;
    };
    const std::vector<Row> rows{
        {"a length", {Kind::length, 5}, "hello", "hello", ""},
        {"one chunk", chunked, "5\r\nhello\r\n0\r\n\r\n", "hello", ""},
        {"no content", chunked, "0\r\n\r\n", "", ""},
        {"sizes in any case with leading zeros", chunked, "000A\r\n0123456789\r\nb\r\nabcdefghijk\r\n0000\r\n\r\n",
         "0123456789abcdefghijk", ""},
        {"extensions are ignored", chunked, "5;a=b;c=\"d e\\\"f;\"\r\nhello\r\n6;x\r\n world\r\n0;last=1\r\n\r\n", "hello world",
         ""},
        {"white space around extensions", chunked, "5 ; a = b\t\r\nhello\r\n0\t;x\r\n\r\n", "hello", ""},
        {"content that looks like chunks", chunked, "7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n\r\n", ""},
        {"trailers", chunked, "1\r\nx\r\n0\r\nX-Sum: abc \r\nx-two:\r\n\r\n", "x", "X-Sum=abc|x-two=|"},
    };
    for (const auto& row : rows) {
        auto cuts = test::all_cuts(row.text.size());
        for (auto& cut : cuts) {
            INFO(row.rule << ", cut at " << cut.front());
            cut.back() += 4;
            const auto decoded = decode(row.framing, row.text + "NEXT", cut);
            CHECK(decoded.state == ParseState::done);
            CHECK(decoded.consumed == row.text.size());
            CHECK(decoded.content == row.content);
            CHECK(decoded.trailers == row.trailers);
        }
    }
}

TEST_CASE("chunked content that could be read in two ways is refused, wherever it is cut") {
    struct Row {
        std::string_view rule;
        std::string text;
    };
    const std::vector<Row> rows{
        {"a negative size", "-5\r\nhello\r\n0\r\n\r\n"},
        {"a size with a sign", "+5\r\nhello\r\n0\r\n\r\n"},
        {"a size behind a space", " 5\r\nhello\r\n0\r\n\r\n"},
        {"no size", "\r\nhello\r\n0\r\n\r\n"},
        {"an extension without a size", ";a\r\n"},
        {"a size with 0x", "0x5\r\nhello\r\n0\r\n\r\n"},
        {"a size with letters behind", "5xyz\r\nhello\r\n0\r\n\r\n"},
        {"a space behind the size", "5 \r\nhello\r\n0\r\n\r\n"},
        {"a size over 2^64", "10000000000000005\r\nhello\r\n0\r\n\r\n"},
        {"a size over 2^63", "8000000000000000\r\nhello\r\n0\r\n\r\n"},
        {"a size of many zeros", std::string(33, '0') + "\r\n\r\n"},
        {"bare CR in an extension", "5;a\rbc\r\nhello\r\n0\r\n\r\n"},
        {"NUL in an extension", std::string("5;a\0b\r\nhello\r\n0\r\n\r\n", 19)},
        {"LF in a quoted extension", "5;a=\"x\ny\"\r\nhello\r\n0\r\n\r\n"},
        {"CR LF in a quoted extension", "5;a=\"x\r\ny\"\r\nhello\r\n0\r\n\r\n"},
        {"LF behind the size", "5\nhello\r\n0\r\n\r\n"},
        {"LF behind an extension", "5;a\nhello\r\n0\r\n\r\n"},
        {"CR alone behind the size", "5\rhello\r\n0\r\n\r\n"},
        {"other bytes for the CRLF behind the data", "5\r\nhelloXX0\r\n\r\n"},
        {"LF behind the data", "5\r\nhello\n0\r\n\r\n"},
        {"CR alone behind the data", "5\r\nhello\r0\r\n\r\n"},
        {"an empty line between chunks", "5\r\nhello\r\n\r\n0\r\n\r\n"},
        {"LF behind the last chunk", "0\n\n"},
        {"LF that ends the trailers", "0\r\n\n"},
        {"a trailer that ends in LF", "0\r\nX: a\n\r\n"},
        {"bare CR in a trailer", "0\r\nX: a\rb\r\n\r\n"},
        {"NUL in a trailer", std::string("0\r\nX: a\0\r\n\r\n", 12)},
        {"a folded trailer", "0\r\nX: a\r\n b\r\n\r\n"},
        {"a space before a trailer's colon", "0\r\nX : a\r\n\r\n"},
        {"a trailer without a colon", "0\r\nGET / HTTP/1.1\r\n\r\n"},
        {"a trailer without a name", "0\r\n: a\r\n\r\n"},
    };
    for (const auto& row : rows) {
        for (const auto& cuts : test::all_cuts(row.text.size())) {
            INFO(row.rule << ", cut at " << cuts.front());
            CHECK(decode(chunked, row.text, cuts).state == ParseState::failed);
        }
    }
}

TEST_CASE("a chunk may be as large as 2^63 - 1 bytes") {
    BodyDecoder decoder;
    decoder.start(chunked);
    CHECK(decoder.feed("7FFFFFFFFFFFFFFF\r\nhello", [](std::string_view) {}).state == ParseState::need_more);
    CHECK(decoder.remaining() == 0x7fffffffffffffffU - 5);
}

TEST_CASE("extensions and trailers of a message have limits") {
    const BodyLimits limits{10, 20, 2};
    const auto state = [&](const std::string& text) { return decode(chunked, text, {text.size()}, limits).state; };
    CHECK(state("1;23456789ab\r\nx\r\n0\r\n\r\n") == ParseState::done);
    CHECK(state("1;23456789abc\r\nx\r\n0\r\n\r\n") == ParseState::failed);
    // The limit is the message's, not the chunk's.
    CHECK(state("1;23456\r\nx\r\n1;23456\r\nx\r\n0\r\n\r\n") == ParseState::done);
    CHECK(state("1;234567\r\nx\r\n1;23456\r\nx\r\n0\r\n\r\n") == ParseState::failed);
    CHECK(state("1" + std::string(12, ' ') + ";\r\nx\r\n") == ParseState::failed);
    CHECK(state("0\r\nA: 1\r\nB: 1\r\n\r\n") == ParseState::done);
    CHECK(state("0\r\nA:1\r\nB:1\r\nC:1\r\n\r\n") == ParseState::failed);
    CHECK(state("0\r\nA: 3456789012345\r\n\r\n") == ParseState::done);
    CHECK(state("0\r\nA: 34567890123456\r\n\r\n") == ParseState::failed);
}

TEST_CASE("content is handed out as it lies in the buffer") {
    BodyDecoder decoder;
    decoder.start({Kind::length, 10});
    const std::string_view buffer = "abcdef";
    const auto step = decoder.next(buffer);
    CHECK(step.content.data() == buffer.data());
    CHECK(step.consumed == 6);
    CHECK(decoder.remaining() == 4);
    CHECK(decoder.on_eof() == ParseState::failed);
}

TEST_CASE("a decoder starts afresh after a message and after a failure") {
    BodyDecoder decoder;
    decoder.start(chunked);
    REQUIRE(decoder.feed("1\r\nx\r\n0\r\nA: 1\r\n\r\n", [](std::string_view) {}).state == ParseState::done);
    decoder.start(chunked);
    CHECK(decoder.trailers().empty());
    REQUIRE(decoder.feed("zz", [](std::string_view) {}).state == ParseState::failed);
    CHECK(decoder.next("5\r\n").state == ParseState::failed);
    decoder.start({Kind::none, 0});
    CHECK(decoder.state() == ParseState::done);
    CHECK(decoder.next("GET").consumed == 0);
}
