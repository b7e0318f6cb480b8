#include "cli/operation_id.hpp"

#include "catch.hpp"
#include "onceward/id/snowflake.hpp"

using namespace onceward;
using namespace onceward::cli;

TEST_CASE("an operation id says its time, worker and sequence") {
    const id::SnowflakeParts parts{StoreTime{std::chrono::seconds{1'769'860'800} + std::chrono::milliseconds{123}}, 17, 4};
    const auto number = id::encode(parts).value;
    CHECK(operation_id_text(number, Output::people) == "time      2026-01-31T12:00:00.123Z\nworker    17\nsequence  4\n");
    CHECK(operation_id_text(number, Output::json) ==
          "{\"id\":\"" + std::to_string(number) + "\",\"time\":\"2026-01-31T12:00:00.123Z\",\"worker\":17,\"sequence\":4}\n");
    CHECK(operation_id_text(1, Output::people) == "time      2024-01-01T00:00:00.000Z\nworker    0\nsequence  1\n");
}
