#include "onceward/telemetry/metrics.hpp"

#include "catch.hpp"
#include "loops.hpp"
#include "proxy/loop.hpp"

#include <atomic>

using namespace onceward;
using telemetry::LoopMetrics;

namespace {

double sample(const std::string& text, const std::string& name) {
    const auto at = text.find("\n" + name + " ");
    REQUIRE(at != std::string::npos);
    return std::stod(text.substr(at + name.size() + 2));
}

void count_one(LoopMetrics& metrics, std::uint64_t i) {
    metrics.in_flight.add(1);
    metrics.routes[0]->count_request(201, guard::IdempotencyStatus::executed);
    metrics.routes[0]->upstream_seconds.observe(std::chrono::microseconds{i});
    metrics.store_seconds[0].observe(std::chrono::microseconds{i});
    metrics.store_failures[0].add();
    metrics.fenced.add();
    metrics.in_flight.add(-1);
}

}  // namespace

TEST_CASE("a scrape reads what loops write meanwhile, and in the end all of it") {
    constexpr std::size_t loop_count = 2;
    constexpr std::uint64_t count = 20'000;
    std::vector<std::unique_ptr<LoopMetrics>> loops;
    telemetry::ScrapeFacts facts;
    facts.route_names = {"orders"};
    facts.version = "0";
    facts.store_kind = "memory";
    for (std::size_t i = 0; i < loop_count; ++i) {
        loops.push_back(std::make_unique<LoopMetrics>(1));
        facts.loops.push_back(loops.back().get());
    }
    double highest = 0;
    bool fell = false;
    test::on_threads(loop_count + 1, [&](std::size_t thread) {
        if (thread < loop_count) {
            for (std::uint64_t i = 0; i < count; ++i) {
                count_one(*loops[thread], i);
            }
            return;
        }
        for (int i = 0; i < 50; ++i) {
            const auto fenced = sample(telemetry::prometheus_text(facts), "onceward_fenced_total");
            fell = fell || fenced < highest;
            highest = fenced;
        }
    });
    CHECK_FALSE(fell);
    const auto text = telemetry::prometheus_text(facts);
    constexpr double all = loop_count * count;
    CHECK(sample(text, "onceward_fenced_total") == all);
    CHECK(sample(text, "onceward_in_flight") == 0);
    CHECK(sample(text, R"(onceward_store_failures_total{operation="claim"})") == all);
    CHECK(sample(text, R"(onceward_upstream_seconds_count{route="orders"})") == all);
}

TEST_CASE("connections are counted exactly over the loops") {
    constexpr int most = 3;
    proxy::ConnectionCount connections(most);
    std::atomic<int> open{0};
    std::atomic<bool> exceeded{false};
    test::on_threads(4, [&](std::size_t) {
        for (int i = 0; i < 20'000; ++i) {
            if (connections.take()) {
                exceeded = exceeded || ++open > most;
                --open;
                connections.give();
            }
        }
    });
    CHECK_FALSE(exceeded);
    for (int i = 0; i < most; ++i) {
        CHECK(connections.take());
    }
    CHECK_FALSE(connections.take());
}
