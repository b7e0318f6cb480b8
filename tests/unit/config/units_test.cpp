#include "config/units.hpp"

#include "catch.hpp"

using namespace onceward::config;
using std::chrono::milliseconds;

namespace {

std::string complaint(const Parsed<milliseconds>& parsed) {
    const auto* found = std::get_if<Complaint>(&parsed);
    return found != nullptr ? found->message : "";
}

std::string complaint(const Parsed<std::uint64_t>& parsed) {
    const auto* found = std::get_if<Complaint>(&parsed);
    return found != nullptr ? found->message : "";
}

}  // namespace

TEST_CASE("a duration is a number and a unit") {
    struct Row {
        std::string text;
        std::int64_t value;
    };
    const auto row = GENERATE(values<Row>({{"500ms", 500},
                                           {"30s", 30'000},
                                           {"10m", 600'000},
                                           {"24h", 86'400'000},
                                           {"7d", 604'800'000},
                                           {"1ms", 1},
                                           {"0030s", 30'000},
                                           {"36500d", 3'153'600'000'000}}));
    CAPTURE(row.text);
    const auto parsed = parse_duration(row.text, Zero::refused);
    REQUIRE(complaint(parsed).empty());
    CHECK(std::get<milliseconds>(parsed).count() == row.value);
}

TEST_CASE("what is not a duration is refused, and the reason is told") {
    struct Row {
        std::string text;
        std::string reason;
    };
    const auto row = GENERATE(values<Row>({{"", "empty"},
                                           {"30", "has no unit"},
                                           {"0", "has no unit"},
                                           {"0s", "is zero"},
                                           {"0d", "is zero"},
                                           {"-5s", "is negative"},
                                           {"+5s", "is not a duration"},
                                           {"30 s", "is not a duration"},
                                           {" 30s", "is not a duration"},
                                           {"30s ", "is not a duration"},
                                           {"1e3s", "is not a duration"},
                                           {"1.5s", "is not a duration"},
                                           {"PT30S", "is not a duration"},
                                           {"30S", "is not a duration"},
                                           {"1h30m", "is not a duration"},
                                           {"s", "is not a duration"},
                                           {"0x10s", "is not a duration"},
                                           {"30us", "is not a duration"},
                                           {"30sec", "is not a duration"},
                                           {"36501d", "is too large"},
                                           {"99999999999999999d", "is too large"},
                                           {"99999999999999999999999s", "is too large"}}));
    CAPTURE(row.text);
    const auto message = complaint(parse_duration(row.text, Zero::refused));
    CHECK(message.find(row.reason) != std::string::npos);
    CHECK(message.find("expected") != std::string::npos);
}

TEST_CASE("zero is taken only where it is allowed, with or without a unit") {
    CHECK(std::get<milliseconds>(parse_duration("0s", Zero::allowed)).count() == 0);
    CHECK(std::get<milliseconds>(parse_duration("0", Zero::allowed)).count() == 0);
    CHECK(std::get<std::uint64_t>(parse_size("0", Zero::allowed)) == 0);
    CHECK(complaint(parse_size("0B", Zero::refused)).find("is zero") != std::string::npos);
    CHECK(complaint(parse_duration("30", Zero::allowed)).find("has no unit") != std::string::npos);
}

TEST_CASE("a size is a number and a binary unit") {
    struct Row {
        std::string text;
        std::uint64_t value;
    };
    const auto row = GENERATE(values<Row>({{"1B", 1},
                                           {"64KiB", 65'536},
                                           {"1MiB", 1'048'576},
                                           {"2GiB", 2'147'483'648},
                                           {"1TiB", 1'099'511'627'776},
                                           {"9223372036854775807B", 9'223'372'036'854'775'807}}));
    CAPTURE(row.text);
    const auto parsed = parse_size(row.text, Zero::refused);
    REQUIRE(complaint(parsed).empty());
    CHECK(std::get<std::uint64_t>(parsed) == row.value);
}

TEST_CASE("what is not a size is refused") {
    const auto text =
        GENERATE(values<std::string>({"", "1024", "1MB!", "1MB", "1kib", "-1KiB", "1 KiB", "1.5MiB", "KiB", "99999999999999TiB",
                                      "9223372036854775808B", "18446744073709551616B", "8388608TiB"}));
    CAPTURE(text);
    CHECK(!complaint(parse_size(text, Zero::refused)).empty());
}

TEST_CASE("a count is decimal digits between its bounds") {
    CHECK(std::get<std::uint32_t>(parse_count("1", 1, 10)) == 1);
    CHECK(std::get<std::uint32_t>(parse_count("10", 1, 10)) == 10);
    const auto text = GENERATE(values<std::string>({"", "0", "11", "-1", "+1", "1.0", "1e0", "0x1", "1 ", "99999999999"}));
    CAPTURE(text);
    CHECK(std::holds_alternative<Complaint>(parse_count(text, 1, 10)));
}

TEST_CASE("durations and sizes are written in the largest unit that divides them") {
    CHECK(to_text(milliseconds{0}) == "0s");
    CHECK(to_text(milliseconds{1500}) == "1500ms");
    CHECK(to_text(milliseconds{90'000}) == "90s");
    CHECK(to_text(std::chrono::hours{24}) == "1d");
    CHECK(size_text(0) == "0");
    CHECK(size_text(1000) == "1000B");
    CHECK(size_text(3 * 1024) == "3KiB");
    CHECK(size_text(1'048'576) == "1MiB");
}
