#include "catch.hpp"
#include "onceward/request/identify.hpp"

using onceward::request::parse_key;
using onceward::request::valid_pattern;

TEST_CASE("quoted and bare spellings name the same key") {
    for (const std::string_view key :
         {"a", "a:b/c=d@e", "!#$%&'*+-.^_`|~", "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "a/b/c", "user@host", "YWJj=="}) {
        INFO(key);
        CHECK(parse_key(key) == std::string(key));
        CHECK(parse_key('"' + std::string(key) + '"') == std::string(key));
    }
}

TEST_CASE("a quoted key is an RFC 9651 String") {
    CHECK(parse_key(R"("key with, blanks; and = {signs}")") == "key with, blanks; and = {signs}");
    CHECK(parse_key(R"("a\"b\\c")") == R"(a"b\c)");
    CHECK(parse_key("  \"a b\" \t") == "a b");
    CHECK(parse_key("\" \"") == " ");
}

TEST_CASE("what is neither a String nor bare text is no key") {
    for (const std::string_view bad : {"",
                                       "   ",
                                       "\"\"",
                                       "\"",
                                       "\"abc",
                                       "\"a\"b\"",
                                       "\"abc\\\"",
                                       R"("a\nb")",
                                       "\"abc\" def",
                                       "\"a\tb\"",
                                       "a\x7f"
                                       "b",
                                       "\"a\x7f"
                                       "b\"",
                                       "caf\xe9",
                                       "\xe4\xb8\xad",
                                       "\"\xe4\xb8\xad\"",
                                       "\"a\x01"
                                       "b\"",
                                       "a b",
                                       "a,b",
                                       "a\"b",
                                       "abc;x=1",
                                       "\"abc\";x=1",
                                       "\"abc\";x",
                                       "a\\b",
                                       "{a}",
                                       "a[1]",
                                       "a?b",
                                       ":YWJj:,",
                                       "(a)",
                                       "\"abc\",",
                                       ",\"abc\"",
                                       "\"a\", \"b\"",
                                       "\"a\",\"a\"",
                                       "abc\""}) {
        INFO(bad);
        CHECK_FALSE(parse_key(bad));
    }
    CHECK_FALSE(parse_key(std::string_view("a\0b", 3)));
}

TEST_CASE("a key has 1 to 255 bytes, counted without quotes and escapes") {
    CHECK(parse_key(std::string(255, 'k')));
    CHECK_FALSE(parse_key(std::string(256, 'k')));
    CHECK(parse_key('"' + std::string(255, 'k') + '"'));
    CHECK_FALSE(parse_key('"' + std::string(256, 'k') + '"'));
    std::string escaped = "\"";
    for (int i = 0; i < 255; ++i) {
        escaped += "\\\\";
    }
    CHECK(parse_key(escaped + '"') == std::string(255, '\\'));
}

TEST_CASE("patterns are RE2's") {
    CHECK(valid_pattern("[0-9a-f]{32}"));
    CHECK_FALSE(valid_pattern("("));
    CHECK_FALSE(valid_pattern("(a)\\1"));
}
