#include "request/canonical_json.hpp"

#include "catch.hpp"

using namespace onceward::request;

namespace {
std::string canonical(std::string_view text, const std::vector<JsonPointer>& ignored = {}) {
    std::string out;
    return append_canonical_json(out, text, ignored) ? out : "raw";
}
}  // namespace

TEST_CASE("key order and white space do not matter") {
    CHECK(canonical(" { \"b\" : [ 1 , true , null ] ,\n\"a\": {\"d\":\"x\",\"c\":false} } ") ==
          R"({"a":{"c":false,"d":"x"},"b":[1,true,null]})");
    CHECK(canonical(R"({"\u00e9":1,"z":2,"Z":3,"":4})") == "{\"\":4,\"Z\":3,\"z\":2,\"\xc3\xa9\":1}");
}

TEST_CASE("numbers are their decimal text") {
    for (const std::string_view number : {"1", "1.0", "1e0", "1E0", "0", "-0", "1e400", "12345678901234567890.10"}) {
        CHECK(canonical(number) == number);
    }
}

TEST_CASE("strings are compared by value, without Unicode normalisation") {
    CHECK(canonical(R"("\u00e9\/\u0041")") == "\"\xc3\xa9/A\"");
    CHECK(canonical(R"("\ud83d\ude00")") == "\"\xf0\x9f\x98\x80\"");
    CHECK(canonical(R"("\n\u001f\"\\")") == R"("\u000a\u001f\"\\")");
    CHECK(canonical("\"e\xcc\x81\"") != canonical("\"\xc3\xa9\""));
}

TEST_CASE("duplicate names, depth over 128 and invalid JSON are left to raw bytes") {
    for (const std::string_view text : {R"({"a":1,"a":1})", R"([{"a":{"x":1,"\u0078":2}}])", "{", "", "\"\\ud800\""}) {
        CHECK(canonical(text) == "raw");
    }
    CHECK(canonical(std::string(129, '[') + std::string(129, ']')) == "raw");
    std::string kept = "before";
    CHECK_FALSE(append_canonical_json(kept, R"([1,{"a":1,"a":2}])", {}));
    CHECK(kept == "before");
}

TEST_CASE("what pointers name is left out") {
    const std::string_view text = R"({"id":1,"meta":{"at":2,"by":3},"list":[{"t":1},{"t":2}]})";
    CHECK(canonical(text, {{"meta", "at"}}) == R"({"id":1,"list":[{"t":1},{"t":2}],"meta":{"by":3}})");
    CHECK(canonical(text, {{"meta"}, {"list", "0"}}) == R"({"id":1,"list":[{"t":2}]})");
    CHECK(canonical(text, {{"id"}, {"meta"}, {"list"}, {"none"}}) == "{}");
    CHECK(canonical(text, {{}}).empty());
}
