#include "store/redis/resp.hpp"

#include "catch.hpp"

#include <string>

namespace onceward::store::redis {

namespace {

/// A reply as text, for comparison.
std::string show(const Reply& reply) {
    std::string shown = reply.is_array ? "[" : "";
    for (const auto& value : reply.values) {
        switch (value.kind) {
            case ValueKind::nil:
                shown += "nil";
                break;
            case ValueKind::integer:
                shown += std::to_string(value.integer);
                break;
            case ValueKind::error:
                shown += "error ";
                [[fallthrough]];
            case ValueKind::status:
            case ValueKind::bulk:
                shown += "'" + std::string(value.text) + "'";
        }
        shown += reply.is_array ? "," : "";
    }
    return shown + (reply.is_array ? "]" : "");
}

std::string read_all(ReplyReader& reader) {
    std::string all;
    while (const auto* reply = reader.next()) {
        all += show(*reply) + ";";
    }
    return all;
}

const std::string conversation = std::string("+OK\r\n-ERR no\r\n:-42\r\n$-1\r\n$0\r\n\r\n$5\r\na\r\nb") + '\0' +
                                 "\r\n*0\r\n*-1\r\n*4\r\n$7\r\nclaimed\r\n:7\r\n$-1\r\n$3\r\nxyz\r\n+LAST\r\n";
const std::string as_read =
    std::string("'OK';error 'ERR no';-42;nil;'';'a\r\nb") + '\0' + "';[];nil;['claimed',7,nil,'xyz',];'LAST';";

}  // namespace

TEST_CASE("replies of every kind are read") {
    ReplyReader reader;
    reader.feed(conversation);
    CHECK(read_all(reader) == as_read);
    CHECK_FALSE(reader.is_broken());
}

TEST_CASE("replies are the same wherever the input is cut") {
    for (std::size_t cut = 0; cut <= conversation.size(); ++cut) {
        INFO("cut at " << cut);
        ReplyReader reader;
        reader.feed(std::string_view(conversation).substr(0, cut));
        auto shown = read_all(reader);
        reader.feed(std::string_view(conversation).substr(cut));
        shown += read_all(reader);
        CHECK(shown == as_read);
    }
}

TEST_CASE("replies are the same byte by byte") {
    ReplyReader reader;
    std::string shown;
    for (const char byte : conversation) {
        reader.feed({&byte, 1});
        shown += read_all(reader);
    }
    CHECK(shown == as_read);
}

TEST_CASE("a large reply is read in pieces") {
    const std::string content(3'000'000, 'x');
    ReplyReader reader;
    reader.feed("*2\r\n$4\r\nhead\r\n$3000000\r\n");
    for (std::size_t at = 0; at < content.size(); at += 32'768) {
        CHECK(reader.next() == nullptr);
        reader.feed(std::string_view(content).substr(at, 32'768));
    }
    reader.feed("\r\n+next\r\n");
    const auto* reply = reader.next();
    REQUIRE(reply != nullptr);
    REQUIRE(reply->values.size() == 2);
    CHECK(reply->values[0].text == "head");
    CHECK(reply->values[1].text == content);
    CHECK(read_all(reader) == "'next';");
}

TEST_CASE("input that is not RESP2, or over a limit, breaks the reader for good") {
    const auto input = GENERATE(as<std::string>{}, "HTTP/1.1 400 Bad Request\r\n", "*1\r\n*1\r\n:1\r\n", "*1000000\r\n",
                                "*2147483647\r\n", "*9223372036854775807\r\n", "$abc\r\n", "%1\r\n+a\r\n+b\r\n", "~1\r\n+a\r\n",
                                ">1\r\n+a\r\n", ",1.5\r\n", "#t\r\n", "(1\r\n", "=5\r\ntxt:a\r\n", "\r\n");
    INFO(input);
    ReplyReader reader;
    reader.feed(input);
    CHECK(reader.next() == nullptr);
    CHECK(reader.is_broken());
    reader.feed("+OK\r\n");
    CHECK(reader.next() == nullptr);
    reader.reset();
    reader.feed("+OK\r\n");
    CHECK(read_all(reader) == "'OK';");
}

}  // namespace onceward::store::redis
