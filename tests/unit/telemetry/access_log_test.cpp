#include "onceward/telemetry/access_log.hpp"

#include "catch.hpp"
#include "pipe.hpp"
#include "telemetry/access_line.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <thread>

using namespace onceward;
using namespace onceward::telemetry;
using test::Pipe;

namespace {

std::string line_of(const AccessEntry& entry) {
    std::string out;
    append_access_line(out, entry, from_micros(1'704'067'200'123'000));
    return out;
}

AccessEntry numbered(std::string_view route, std::uint64_t n) {
    AccessEntry entry;
    entry.route = route;
    entry.method = "POST";
    entry.path = "/api/orders";
    entry.status = 201;
    entry.bytes_in = n;
    return entry;
}

AccessLogOptions into(const Pipe& pipe, std::size_t ring_bytes = 512 * 1024) {
    return {true, pipe.writer(), ring_bytes};
}

}  // namespace

TEST_CASE("an access line tells everything under the documented names") {
    AccessEntry entry;
    entry.route = "create-order";
    entry.method = "POST";
    entry.path = "/api/orders";
    entry.status = 201;
    entry.idempotency = guard::IdempotencyStatus::executed;
    entry.operation_id = 9'007'199'254'740'993;
    entry.attempt = 2;
    entry.key_hash = "0123456789abcdef";
    entry.code = "PROCESSING";
    entry.client_gone = true;
    entry.upstream = std::chrono::microseconds{12'345};
    entry.store = std::chrono::microseconds{67};
    entry.total = std::chrono::microseconds{1'000'000};
    entry.bytes_in = 10;
    entry.bytes_out = 20;
    entry.request_id = "req-1";
    entry.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    CHECK(
        line_of(entry) ==
        R"({"time":"2024-01-01T00:00:00.123Z","route":"create-order","method":"POST","path":"/api/orders","status":201,)"
        R"("idempotency_status":"executed","operation_id":"9007199254740993","attempt":2,"key_hash":"0123456789abcdef",)"
        R"("code":"PROCESSING","client_gone":true,"upstream_ms":12.345,"store_ms":0.067,"total_ms":1000.000,"bytes_in":10,"bytes_out":20,)"
        R"("request_id":"req-1","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"})"
        "\n");
}

TEST_CASE("what there is nothing to tell about is left out") {
    AccessEntry entry;
    entry.method = "GET";
    entry.path = "/";
    CHECK(line_of(entry) ==
          R"({"time":"2024-01-01T00:00:00.123Z","method":"GET","path":"/","status":0,"idempotency_status":"passed",)"
          R"("total_ms":0.000,"bytes_in":0,"bytes_out":0})"
          "\n");
}

TEST_CASE("a path of client bytes stays inside its string and is cut when it is long") {
    auto entry = numbered("r", 0);
    entry.path = "/a\"\n\x01\xFF";
    CHECK(nlohmann::json::parse(line_of(entry))["path"] == "/a\"\n\x01\xEF\xBF\xBD");
    const std::string longest(100'000, '\x01');
    entry.path = longest;
    entry.method = longest;
    const auto line = line_of(entry);
    CHECK(line.size() <= access_line_max);
    CHECK(nlohmann::json::parse(line)["path"] == std::string(2048, '\x01') + "...");
    CHECK(nlohmann::json::parse(line)["method"] == std::string(64, '\x01') + "...");
}

TEST_CASE("a line is written soon, without waiting for more") {
    Pipe pipe;
    AccessLog log(into(pipe));
    auto& ring = log.ring();
    for (std::uint64_t i = 0; i < 3; ++i) {
        ring.write(numbered("r", i));
        CHECK(nlohmann::json::parse(pipe.read_lines(1).front())["bytes_in"] == i);
    }
    CHECK(log.dropped() == 0);
}

TEST_CASE("what the rings hold is written before the log ends") {
    Pipe pipe;
    {
        AccessLog log(into(pipe));
        auto& first = log.ring();
        auto& second = log.ring();
        for (std::uint64_t i = 0; i < 50; ++i) {
            first.write(numbered("first", i));
            second.write(numbered("second", i));
        }
    }
    pipe.close_writer();
    CHECK(test::split_lines(pipe.read_to_end()).size() == 100);
}

TEST_CASE("two loops with a reader that stands still: nobody waits, what does not fit is counted, the rest comes out whole") {
    Pipe pipe;
    const auto filled = pipe.fill();
    constexpr std::uint64_t count = 20'000;
    std::uint64_t dropped = 0;
    std::vector<std::string> lines;
    {
        AccessLog log(into(pipe, 64 * 1024));
        std::vector<std::thread> loops;
        for (const std::string_view name : {"first", "second"}) {
            loops.emplace_back([name, &ring = log.ring()] {
                for (std::uint64_t i = 0; i < count; ++i) {
                    ring.write(numbered(name, i));
                }
            });
        }
        // They end although nothing was read.
        for (auto& loop : loops) {
            loop.join();
        }
        dropped = log.dropped();
        CHECK(dropped > 0);
        pipe.read(filled);
        lines = pipe.read_lines(2 * count - dropped);
        CHECK(log.dropped() == dropped);
    }
    pipe.close_writer();
    CHECK(pipe.read_to_end().empty());
    std::map<std::string, std::int64_t> latest{{"first", -1}, {"second", -1}};
    for (const auto& text : lines) {
        const auto line = nlohmann::json::parse(text);
        auto& before = latest.at(line["route"]);
        CHECK(line["bytes_in"].get<std::int64_t>() > before);
        before = line["bytes_in"];
    }
}

TEST_CASE("a reader that stands still holds up the end of the log for a moment only") {
    Pipe pipe;
    pipe.fill();
    auto log = std::make_unique<AccessLog>(into(pipe));
    auto& ring = log->ring();
    for (std::uint64_t i = 0; i < 10; ++i) {
        ring.write(numbered("r", i));
    }
    const auto ending = std::chrono::steady_clock::now();
    log.reset();
    CHECK(std::chrono::steady_clock::now() - ending < std::chrono::seconds{10});
}

TEST_CASE("a reader that is gone costs the lines, not the process") {
    Pipe pipe;
    AccessLog log(into(pipe));
    auto& ring = log.ring();
    pipe.close_reader();
    ring.write(numbered("r", 0));
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (log.dropped() == 0 && std::chrono::steady_clock::now() < limit) {
        std::this_thread::yield();
    }
    CHECK(log.dropped() == 1);
}

TEST_CASE("a disabled access log writes nothing and drops nothing") {
    Pipe pipe;
    {
        AccessLog log(AccessLogOptions{false, pipe.writer(), 1024});
        log.ring().write(numbered("r", 0));
        CHECK(log.dropped() == 0);
    }
    pipe.close_writer();
    CHECK(pipe.read_to_end().empty());
}
