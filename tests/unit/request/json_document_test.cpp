#include "request/json_document.hpp"

#include "catch.hpp"

using namespace onceward::request;
using Parsed = JsonDocument::Parsed;
using Found = JsonDocument::Found;

namespace {
Parsed parsed(std::string_view text) {
    JsonDocument document;
    return document.parse(text);
}
std::string nested(int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}
}  // namespace

TEST_CASE("JSON is RFC 8259's") {
    for (const std::string_view good :
         {"{}", "[]", " [1 , 2]\r\n\t", "\"\"", "null", "true", "false", "0", "-0", "-0.5e+10", "1E400", "1e-5",
          "{\"a\":{\"b\":[{}]},\"a\":1}", "\"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\xf4\x8f\xbf\xbf\x7f\""}) {
        INFO(good);
        CHECK(parsed(good) == Parsed::fine);
    }
    for (const std::string_view bad : {"",           " ",
                                       "{",          "[1,]",
                                       "{\"a\":1,}", "{a:1}",
                                       "{'a':1}",    "[1 2]",
                                       "01",         "-",
                                       "+1",         "1.",
                                       ".5",         "1e",
                                       "1e+",        "NaN",
                                       "tru",        "truex",
                                       "1 2",        "{}{}",
                                       "\"a",        "\"\\x\"",
                                       "\"\\u12\"",  "\"\t\"",
                                       "[1]//",      "\xef\xbb\xbf{}",
                                       "{\"a\"}",    "{\"a\":}",
                                       "[,1]",       "}",
                                       "\"\\"}) {
        INFO(bad);
        CHECK(parsed(bad) == Parsed::invalid);
    }
}

TEST_CASE("text that is not Unicode is no JSON") {
    for (const std::string_view bad :
         {"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\\ud800x\"", "\"\\ud83d\\u0041\"", "\"\xff\"", "\"\xc3\"",
          "\"\xc0\xaf\"", "\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xf0\x80\x80\x80\""}) {
        CHECK(parsed(bad) == Parsed::invalid);
    }
}

TEST_CASE("128 levels are read, 129 are too deep") {
    CHECK(parsed(nested(128)) == Parsed::fine);
    CHECK(parsed(nested(129)) == Parsed::too_deep);
    CHECK(parsed(std::string(1'000'000, '[')) == Parsed::too_deep);
}

TEST_CASE("a pointer finds what RFC 6901 says") {
    JsonDocument document;
    REQUIRE(document.parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"o":{"p":{"q":"deep"}},"\u00e9":2})") == Parsed::fine);
    const auto text_at = [&](std::string_view pointer) {
        const auto search = document.find(*parse_json_pointer(pointer));
        return search.found == Found::once ? std::string(document.text(document.nodes()[search.index])) : "?";
    };
    CHECK(text_at("/foo/0") == "bar");
    CHECK(text_at("/foo/1") == "baz");
    CHECK(text_at("/") == "0");
    CHECK(text_at("/a~1b") == "1");
    CHECK(text_at("/m~0n") == "8");
    CHECK(text_at("/o/p/q") == "deep");
    CHECK(text_at("/\xc3\xa9") == "2");
    for (const std::string_view absent :
         {"/foo/2", "/foo/00", "/foo/01", "/foo/-", "/foo/x", "/nope", "/o/p/q/r", "/foo/0/0", "/foo/99999999999"}) {
        INFO(absent);
        CHECK(text_at(absent) == "?");
    }
    CHECK_FALSE(parse_json_pointer("foo"));
    CHECK_FALSE(parse_json_pointer("/~"));
}

TEST_CASE("a member that stands twice on the way is found to be a duplicate") {
    JsonDocument document;
    REQUIRE(document.parse(R"({"a":{"x":1,"\u0078":2},"b":{"k":3},"b":{"k":4},"c":{"z":1,"z":2,"k":5}})") == Parsed::fine);
    CHECK(document.find({"a", "x"}).found == Found::duplicate);
    CHECK(document.find({"b", "k"}).found == Found::duplicate);
    CHECK(document.find({"c", "k"}).found == Found::once);
}
