#include "onceward/telemetry/access_log.hpp"

#include "catch.hpp"
#include "loops.hpp"
#include "pipe.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

using namespace onceward;
using telemetry::AccessLog;

namespace {

constexpr std::size_t loop_count = 3;
constexpr std::uint64_t count = 3'000;
const std::string names[loop_count] = {"one", "two", "three"};

void write_lines(telemetry::AccessRing& ring, const std::string& name) {
    for (std::uint64_t i = 0; i < count; ++i) {
        telemetry::AccessEntry entry;
        entry.route = name;
        entry.method = "POST";
        entry.path = "/api/orders";
        entry.status = 201;
        entry.bytes_in = i;
        ring.write(entry);
    }
}

}  // namespace

TEST_CASE("loops ask for a ring each and fill it while the writer empties all: no line is lost, doubled or torn") {
    telemetry::test::Pipe pipe;
    std::string written;
    std::uint64_t dropped = 0;
    std::thread reader([&] { written = pipe.read_to_end(); });
    {
        AccessLog log({.enabled = true, .descriptor = pipe.writer()});
        test::on_threads(loop_count + 1, [&](std::size_t thread) {
            if (thread < loop_count) {
                write_lines(log.ring(), names[thread]);
                return;
            }
            for (int i = 0; i < 1'000; ++i) {
                dropped = std::max(dropped, log.dropped());
            }
        });
        dropped = log.dropped();
    }
    pipe.close_writer();
    reader.join();
    std::map<std::string, std::uint64_t> next;
    std::uint64_t lines = 0;
    bool in_order = true;
    for (const auto& text : telemetry::test::split_lines(written)) {
        const auto line = nlohmann::json::parse(text);
        auto& least = next[line["route"].get<std::string>()];
        in_order = in_order && line["bytes_in"].get<std::uint64_t>() >= least;
        least = line["bytes_in"].get<std::uint64_t>() + 1;
        ++lines;
    }
    CHECK(in_order);
    CHECK(lines + dropped == loop_count * count);
}
