#include "cli/record_table.hpp"

#include "catch.hpp"

#include <nlohmann/json.hpp>

using namespace onceward::cli;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

constexpr std::chrono::sys_seconds noon{1'769'860'800s};

json record_of(const char* id, const char* state) {
    return {{"id", std::string(id) + std::string(48, '0')},
            {"route", "create-order"},
            {"state", state},
            {"operation_id", "282914710896644096"},
            {"attempt", 2},
            {"fence", 17},
            {"created_at", "2026-01-31T11:00:00.000Z"},
            {"updated_at", "2026-01-31T11:55:00.000Z"},
            {"lease_until", nullptr},
            {"keep_until", "2026-02-02T12:00:00.000Z"},
            {"status", nullptr},
            {"evidence", "lease"}};
}

}  // namespace

TEST_CASE("a table has a header and a line a record, in columns") {
    auto second = record_of("1234567812345678", "COMPLETED");
    second["status"] = 201;
    second["evidence"] = nullptr;
    CHECK(record_table({record_of("9f86d081884c7d65", "UNKNOWN"), second}, noon) ==
          "ID                STATE      ROUTE         ATTEMPT  AGE  STATUS  EVIDENCE  OPERATION ID\n"
          "9f86d081884c7d65  UNKNOWN    create-order  2        5m   -       lease     282914710896644096\n"
          "1234567812345678  COMPLETED  create-order  2        5m   201     -         282914710896644096\n");
}

TEST_CASE("one record is a line a member, with how long ago each time is") {
    const auto text = record_text(record_of("9f86d081884c7d65", "UNKNOWN"), noon);
    CHECK(text.find("id            9f86d081884c7d65000000") == 0);
    CHECK(text.find("\nfence         17\n") != std::string::npos);
    CHECK(text.find("\nupdated_at    2026-01-31T11:55:00.000Z (5m ago)\n") != std::string::npos);
    CHECK(text.find("\nkeep_until    2026-02-02T12:00:00.000Z (in 2d)\n") != std::string::npos);
    CHECK(text.find("status") == std::string::npos);
    CHECK(text.find("lease_until") == std::string::npos);
}

TEST_CASE("a recorded answer is shown with its fields and body") {
    auto record = record_of("9f86d081884c7d65", "COMPLETED");
    record["response"] = {{"status", 201},
                          {"body_sha256", "ab"},
                          {"headers", json::array({json::array({"Content-Type", "text/plain"})})},
                          {"body", "x\x1b[2J"}};
    const auto text = record_text(record, noon);
    CHECK(text.find("\nheader        Content-Type: text/plain\n") != std::string::npos);
    CHECK(text.find("\nbody          x?[2J\n") != std::string::npos);
}

TEST_CASE("ages are whole units") {
    CHECK(age_text(0s) == "0s");
    CHECK(age_text(59s) == "59s");
    CHECK(age_text(60s) == "1m");
    CHECK(age_text(2h) == "2h");
    CHECK(age_text(100h) == "4d");
}

TEST_CASE("times are those of the admin listener, anything else is none") {
    CHECK(parse_time("2026-01-31T12:00:00.123Z") == noon);
    for (const auto* text : {"", "2026-13-31T12:00:00.123Z", "yesterday", "2026-01-31"}) {
        CAPTURE(text);
        CHECK(parse_time(text) == std::chrono::sys_seconds{});
    }
}

TEST_CASE("what a terminal would obey is not shown") {
    CHECK(printable("a\x1b[31m\r\nb\x7f") == "a?[31m??b?");
    CHECK(printable("böck") == "böck");
}
