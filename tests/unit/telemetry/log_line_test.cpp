#include "telemetry/log_line.hpp"

#include "catch.hpp"

using namespace onceward;
using namespace onceward::telemetry;

namespace {

constexpr StoreTime at = from_micros(1'704'067'200'123'000);

std::string json_line(config::LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    std::string out;
    append_json_line(out, {at, level, event, fields});
    return out;
}

std::string text_line(config::LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    std::string out;
    append_text_line(out, {at, level, event, fields});
    return out;
}

}  // namespace

TEST_CASE("a JSON line has time, level, event and the fields in order") {
    CHECK(
        json_line(config::LogLevel::warn, "store is slow",
                  {{"store", std::string_view{"redis"}}, {"ms", std::int64_t{1200}}, {"ratio", 0.5}, {"shared", true}}) ==
        R"({"time":"2024-01-01T00:00:00.123Z","level":"warn","event":"store is slow","store":"redis","ms":1200,"ratio":0.5,"shared":true})"
        "\n");
}

TEST_CASE("every level has its name") {
    const auto line = [](config::LogLevel level) { return json_line(level, "e", {}); };
    CHECK(line(config::LogLevel::trace) == R"({"time":"2024-01-01T00:00:00.123Z","level":"trace","event":"e"})"
                                           "\n");
    CHECK(line(config::LogLevel::debug) == R"({"time":"2024-01-01T00:00:00.123Z","level":"debug","event":"e"})"
                                           "\n");
    CHECK(line(config::LogLevel::info) == R"({"time":"2024-01-01T00:00:00.123Z","level":"info","event":"e"})"
                                          "\n");
    CHECK(line(config::LogLevel::error) == R"({"time":"2024-01-01T00:00:00.123Z","level":"error","event":"e"})"
                                           "\n");
}

TEST_CASE("a text line quotes what is not a plain word") {
    CHECK(text_line(config::LogLevel::info, "listening",
                    {{"address", std::string_view{"0.0.0.0:8080"}},
                     {"path", std::string_view{"a b"}},
                     {"empty", std::string_view{}},
                     {"query", std::string_view{"a=b"}},
                     {"n", std::int64_t{-1}},
                     {"ok", false}}) ==
          "2024-01-01T00:00:00.123Z info  listening address=0.0.0.0:8080 path=\"a b\" empty=\"\" query=\"a=b\" n=-1 ok=false\n");
}

TEST_CASE("client bytes can't break a line of either form") {
    const std::string_view evil = "x\n{\"level\":\"error\"}\r\n\x1b[2J\xFF";
    for (const auto& line : {json_line(config::LogLevel::error, evil, {{"value", evil}}),
                             text_line(config::LogLevel::error, evil, {{"value", evil}})}) {
        CAPTURE(line);
        CHECK(line.find('\n') == line.size() - 1);
        CHECK(line.find_first_of("\r\x1b\xFF") == std::string::npos);
    }
}
