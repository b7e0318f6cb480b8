#include "telemetry/json_text.hpp"

#include "catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using namespace onceward::telemetry;

namespace {

std::string json_string_of(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string json_number_of(double value) {
    std::string out;
    append_json_number(out, value);
    return out;
}

std::string rfc3339(std::int64_t ms) {
    std::string out;
    append_rfc3339(out, onceward::from_micros(ms * 1000));
    return out;
}

}  // namespace

TEST_CASE("text is escaped so that it stays inside its string") {
    struct Row {
        std::string_view text;
        std::string_view expected;
    };
    using namespace std::string_view_literals;
    const Row rows[] = {
        {"", R"("")"},
        {"/api/orders?a=b", R"("/api/orders?a=b")"},
        {R"(say "hi" \ bye)", R"("say \"hi\" \\ bye")"},
        {"a\nb\rc\td", R"("a\nb\rc\td")"},
        {"nul\0end"sv, R"("nul\u0000end")"},
        {"\x1b[31mred\x7f", R"("\u001b[31mred\u007f")"},
        {"caf\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80", "\"caf\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80\""},
        {"\xC2\x85 \xC2\x9B", R"("\u0085 \u009b")"},
        {"\xE2\x80\xA8 \xE2\x80\xA9", R"("\u2028 \u2029")"},
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                                  // overlong slash
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},                  // surrogate
        {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},  // over U+10FFFF
        {"cut\xE6\x97", "\"cut\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xE6\x97x", "\"\xEF\xBF\xBD\xEF\xBF\xBDx\""},
        {"\x80", "\"\xEF\xBF\xBD\""},
    };
    for (const auto& row : rows) {
        CAPTURE(row.expected);
        CHECK(json_string_of(row.text) == row.expected);
    }
}

TEST_CASE("any three bytes give one valid JSON string without a control character") {
    std::string text(3, '\0');
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; second += first < 0x80 ? 17 : 1) {
            text[0] = static_cast<char>(first);
            text[1] = static_cast<char>(second);
            text[2] = static_cast<char>(first ^ second);
            const auto json = json_string_of(text);
            const bool clean = std::none_of(json.begin(), json.end(),
                                            [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; });
            if (!clean || !nlohmann::json::accept(json)) {
                CAPTURE(first, second);
                FAIL("not one clean string: " + json);
            }
        }
    }
    SUCCEED();
}

TEST_CASE("what was valid text reads back as it was") {
    const std::string text = "a\"b\\c\n\r\t\x01 \xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80";
    CHECK(nlohmann::json::parse(json_string_of(text)).get<std::string>() == text);
}

TEST_CASE("numbers are the shortest text that reads back, or null") {
    CHECK(json_number_of(0.1) == "0.1");
    CHECK(json_number_of(2.5) == "2.5");
    CHECK(json_number_of(10.0) == "10");
    CHECK(json_number_of(-0.0005) == "-0.0005");
    CHECK(json_number_of(0.0) == "0");
    CHECK(json_number_of(1764504652.25) == "1764504652.25");
    CHECK(json_number_of(1e300) == "1e+300");
    CHECK(json_number_of(std::numeric_limits<double>::infinity()) == "null");
    CHECK(json_number_of(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("times are RFC 3339 in UTC with milliseconds") {
    CHECK(rfc3339(0) == "1970-01-01T00:00:00.000Z");
    CHECK(rfc3339(1'704'067'199'999) == "2023-12-31T23:59:59.999Z");
    CHECK(rfc3339(1'709'164'800'001) == "2024-02-29T00:00:00.001Z");
    CHECK(rfc3339(-1) == "1969-12-31T23:59:59.999Z");
}
