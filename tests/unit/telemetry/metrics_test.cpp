#include "onceward/telemetry/metrics.hpp"

#include "catch.hpp"
#include "pipe.hpp"

#include <cmath>
#include <map>
#include <sstream>

using namespace onceward;
using namespace onceward::telemetry;
using namespace std::chrono_literals;

namespace {

/// A scrape read back: sample → value, family → type.
struct Scrape {
    explicit Scrape(const std::string& text) {
        for (const auto& line : test::split_lines(text)) {
            if (line.rfind("# TYPE ", 0) == 0) {
                std::istringstream words(line.substr(7));
                std::string name;
                words >> name >> types[name];
            } else if (line.rfind("# HELP ", 0) == 0) {
                helped.push_back(line.substr(7, line.find(' ', 7) - 7));
            } else {
                const auto blank = line.rfind(' ');
                const bool added = samples.emplace(line.substr(0, blank), std::stod(line.substr(blank + 1))).second;
                CHECK(added);
            }
        }
    }
    double at(const std::string& sample) const {
        const auto found = samples.find(sample);
        return found == samples.end() ? -1 : found->second;
    }

    std::map<std::string, double> samples;
    std::map<std::string, std::string> types;
    std::vector<std::string> helped;
};

ScrapeFacts facts_of(std::vector<const LoopMetrics*> loops) {
    ScrapeFacts facts;
    facts.route_names = {"orders", "refunds"};
    facts.loops = std::move(loops);
    facts.version = "1.2.3";
    facts.store_kind = "redis";
    return facts;
}

}  // namespace

TEST_CASE("requests of all loops are added up by route, status class and idempotency status") {
    LoopMetrics first(2);
    LoopMetrics second(2);
    first.routes[0]->count_request(201, guard::IdempotencyStatus::executed);
    first.routes[0]->count_request(200, guard::IdempotencyStatus::executed);
    second.routes[0]->count_request(201, guard::IdempotencyStatus::executed);
    second.routes[1]->count_request(409, guard::IdempotencyStatus::processing);
    second.unmatched.count_request(404, guard::IdempotencyStatus::passed);
    second.routes[1]->count_request(0, guard::IdempotencyStatus::unknown);
    second.routes[1]->count_request(999, guard::IdempotencyStatus::failed);
    const Scrape scrape(prometheus_text(facts_of({&first, &second})));
    CHECK(scrape.at(R"(onceward_requests_total{route="orders",status_class="2xx",idempotency_status="executed"})") == 3);
    CHECK(scrape.at(R"(onceward_requests_total{route="refunds",status_class="4xx",idempotency_status="processing"})") == 1);
    CHECK(scrape.at(R"(onceward_requests_total{route="",status_class="4xx",idempotency_status="passed"})") == 1);
    CHECK(scrape.at(R"(onceward_requests_total{route="refunds",status_class="none",idempotency_status="unknown"})") == 1);
    CHECK(scrape.at(R"(onceward_requests_total{route="refunds",status_class="none",idempotency_status="failed"})") == 1);
    double sum = 0;
    for (const auto& [name, value] : scrape.samples) {
        sum += name.rfind("onceward_requests_total", 0) == 0 ? value : 0;
    }
    CHECK(sum == 7);
}

TEST_CASE("what alerts watch is there before it ever happened") {
    const LoopMetrics loop(2);
    const Scrape scrape(prometheus_text(facts_of({&loop})));
    for (const std::string sample :
         {"onceward_fenced_total",
          "onceward_store_data_loss_total",
          "onceward_access_log_dropped_total",
          "onceward_log_dropped_total",
          "onceward_in_flight",
          "onceward_connections",
          "onceward_executions_open",
          "onceward_unknown_open",
          "onceward_config_reload_failed",
          "onceward_config_restart_needed",
          R"(onceward_config_reloads_total{result="rejected"})",
          R"(onceward_unguarded_total{route="orders"})",
          R"(onceward_unguarded_total{route="refunds"})",
          R"(onceward_executions_total{route="orders",outcome="completed"})",
          R"(onceward_executions_total{route="refunds",outcome="unknown"})",
          R"(onceward_store_failures_total{operation="claim"})",
          R"(onceward_store_failures_total{operation="renew"})",
          R"(onceward_store_failures_total{operation="complete"})",
          R"(onceward_store_failures_total{operation="fail"})",
          R"(onceward_store_failures_total{operation="unknown"})",
          R"(onceward_store_failures_total{operation="ping"})",
          R"(onceward_requests_total{route="orders",status_class="4xx",idempotency_status="mismatch"})",
          R"(onceward_requests_total{route="refunds",status_class="4xx",idempotency_status="unknown"})"}) {
        CAPTURE(sample);
        CHECK(scrape.at(sample) == 0);
    }
    CHECK(scrape.at(R"(onceward_build_info{version="1.2.3",store="redis"})") == 1);
}

TEST_CASE("counters and gauges show what was counted") {
    LoopMetrics first(2);
    LoopMetrics second(2);
    first.fenced.add();
    second.fenced.add(2);
    first.data_loss.add();
    first.in_flight.add(3);
    second.in_flight.add(-1);
    second.connections.add(7);
    first.executions_open.add(2);
    first.unknown_open.add(1);
    first.store_failures[static_cast<std::size_t>(StoreOperation::complete)].add(4);
    first.routes[1]->unguarded.add(5);
    first.routes[0]->executions[static_cast<std::size_t>(ExecutionOutcome::failed)].add(6);
    auto facts = facts_of({&first, &second});
    facts.access_lines_dropped = 8;
    facts.log_lines_dropped = 9;
    facts.reloads = {true, true, 3, 4, 5, std::chrono::system_clock::time_point{1500ms}};
    const Scrape scrape(prometheus_text(facts));
    CHECK(scrape.at("onceward_fenced_total") == 3);
    CHECK(scrape.at("onceward_store_data_loss_total") == 1);
    CHECK(scrape.at("onceward_in_flight") == 2);
    CHECK(scrape.at("onceward_connections") == 7);
    CHECK(scrape.at("onceward_executions_open") == 2);
    CHECK(scrape.at("onceward_unknown_open") == 1);
    CHECK(scrape.at(R"(onceward_store_failures_total{operation="complete"})") == 4);
    CHECK(scrape.at(R"(onceward_unguarded_total{route="refunds"})") == 5);
    CHECK(scrape.at(R"(onceward_executions_total{route="orders",outcome="failed"})") == 6);
    CHECK(scrape.at("onceward_access_log_dropped_total") == 8);
    CHECK(scrape.at("onceward_log_dropped_total") == 9);
    CHECK(scrape.at(R"(onceward_config_reloads_total{result="applied"})") == 3);
    CHECK(scrape.at(R"(onceward_config_reloads_total{result="unchanged"})") == 4);
    CHECK(scrape.at(R"(onceward_config_reloads_total{result="rejected"})") == 5);
    CHECK(scrape.at("onceward_config_reload_failed") == 1);
    CHECK(scrape.at("onceward_config_restart_needed") == 1);
    CHECK(scrape.at("onceward_config_last_reload_success_timestamp_seconds") == 1.5);
}

TEST_CASE("records are shown by state, or in their place what this process knows of UNKNOWN ones") {
    LoopMetrics loop(2);
    loop.unknown_open.add(-2);
    auto facts = facts_of({&loop});
    const Scrape without(prometheus_text(facts));
    CHECK(without.at("onceward_unknown_open") == -2);
    CHECK(without.types.count("onceward_records") == 0);
    facts.records = {1, 2, 3, 4, 5};
    const Scrape with(prometheus_text(facts));
    CHECK(with.at(R"(onceward_records{state="PROCESSING"})") == 1);
    CHECK(with.at(R"(onceward_records{state="COMPLETED"})") == 2);
    CHECK(with.at(R"(onceward_records{state="FAILED"})") == 3);
    CHECK(with.at(R"(onceward_records{state="UNKNOWN"})") == 4);
    CHECK(with.at(R"(onceward_records{state="EXPIRED"})") == 5);
    CHECK(with.types.count("onceward_unknown_open") == 0);
}

TEST_CASE("readiness is a number") {
    const LoopMetrics loop(2);
    auto facts = facts_of({&loop});
    CHECK(Scrape(prometheus_text(facts)).at("onceward_ready") == 0);
    facts.ready = true;
    CHECK(Scrape(prometheus_text(facts)).at("onceward_ready") == 1);
}

TEST_CASE("histograms are cumulative, in seconds, and their count is the last bucket") {
    LoopMetrics first(2);
    LoopMetrics second(2);
    auto& claim = first.store_seconds[static_cast<std::size_t>(StoreOperation::claim)];
    claim.observe(500us);  // the bound itself is inside
    claim.observe(501us);
    claim.observe(11s);
    claim.observe(-5us);  // a clock that misbehaves counts as nothing
    second.store_seconds[static_cast<std::size_t>(StoreOperation::claim)].observe(2500ms);
    second.unmatched.upstream_seconds.observe(30ms);
    const Scrape scrape(prometheus_text(facts_of({&first, &second})));
    CHECK(scrape.at(R"(onceward_store_seconds_bucket{operation="claim",le="0.0005"})") == 2);
    CHECK(scrape.at(R"(onceward_store_seconds_bucket{operation="claim",le="0.001"})") == 3);
    CHECK(scrape.at(R"(onceward_store_seconds_bucket{operation="claim",le="1"})") == 3);
    CHECK(scrape.at(R"(onceward_store_seconds_bucket{operation="claim",le="2.5"})") == 4);
    CHECK(scrape.at(R"(onceward_store_seconds_bucket{operation="claim",le="10"})") == 4);
    CHECK(scrape.at(R"(onceward_store_seconds_bucket{operation="claim",le="+Inf"})") == 5);
    CHECK(scrape.at(R"(onceward_store_seconds_count{operation="claim"})") == 5);
    CHECK(std::abs(scrape.at(R"(onceward_store_seconds_sum{operation="claim"})") - 13.501001) < 1e-9);
    CHECK(scrape.at(R"(onceward_upstream_seconds_count{route=""})") == 1);
    CHECK(scrape.at(R"(onceward_upstream_seconds_bucket{route="",le="0.05"})") == 1);
    CHECK(scrape.at(R"(onceward_upstream_seconds_bucket{route="",le="0.025"})") == 0);
}

TEST_CASE("every family has help and type, and its samples' names fit the type") {
    LoopMetrics loop(2);
    loop.routes[0]->count_request(200, guard::IdempotencyStatus::replayed);
    loop.store_seconds[0].observe(1ms);
    loop.routes[0]->upstream_seconds.observe(1ms);
    const Scrape scrape(prometheus_text(facts_of({&loop})));
    CHECK(scrape.helped.size() == scrape.types.size());
    for (const auto& [sample, value] : scrape.samples) {
        auto family = sample.substr(0, sample.find('{'));
        for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
            const auto stem = family.size() > suffix.size() ? family.substr(0, family.size() - suffix.size()) : family;
            if (family == stem + suffix && scrape.types.count(stem) != 0) {
                CHECK(scrape.types.at(stem) == "histogram");
                family = stem;
            }
        }
        CAPTURE(sample);
        REQUIRE(scrape.types.count(family) == 1);
        const auto& type = scrape.types.at(family);
        const bool total = family.size() > 6 && family.substr(family.size() - 6) == "_total";
        CHECK((type == "counter") == total);
        CHECK(value >= 0);
    }
}

TEST_CASE("the numbers of a route that is added later stand beside those of before, which stay where they are") {
    LoopMetrics loop(2);
    auto& orders = *loop.routes[0];
    orders.count_request(201, guard::IdempotencyStatus::executed);
    auto facts = facts_of({&loop});
    for (int i = 0; i < 100; ++i) {
        loop.routes.push_back(std::make_shared<RouteMetrics>());
        facts.route_names.push_back("later-" + std::to_string(i));
    }
    loop.routes.back()->count_request(201, guard::IdempotencyStatus::replayed);
    orders.count_request(201, guard::IdempotencyStatus::executed);
    loop.unmatched.count_request(404, guard::IdempotencyStatus::passed);
    const Scrape scrape(prometheus_text(facts));
    CHECK(scrape.at(R"(onceward_requests_total{route="orders",status_class="2xx",idempotency_status="executed"})") == 2);
    CHECK(scrape.at(R"(onceward_requests_total{route="later-99",status_class="2xx",idempotency_status="replayed"})") == 1);
    CHECK(scrape.at(R"(onceward_requests_total{route="",status_class="4xx",idempotency_status="passed"})") == 1);
}

TEST_CASE("label values are escaped") {
    const LoopMetrics loop(2);
    auto facts = facts_of({&loop});
    facts.version = "a\"b\\c\nd";
    CHECK(Scrape(prometheus_text(facts)).at(R"(onceward_build_info{version="a\"b\\c\nd",store="redis"})") == 1);
}

TEST_CASE("the process's own numbers are those of this process") {
    const LoopMetrics loop(2);
    const Scrape scrape(prometheus_text(facts_of({&loop})));
    const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    CHECK(scrape.at("process_start_time_seconds") <= now + 2);
    CHECK(scrape.at("process_start_time_seconds") > now - 600);
    CHECK(scrape.at("process_cpu_seconds_total") >= 0);
    CHECK(scrape.at("process_resident_memory_bytes") > 1e5);
    CHECK(scrape.at("process_virtual_memory_bytes") > scrape.at("process_resident_memory_bytes"));
    CHECK(scrape.at("process_max_fds") >= scrape.at("process_open_fds"));
    const auto open_before = scrape.at("process_open_fds");
    const test::Pipe two_more;
    CHECK(Scrape(prometheus_text(facts_of({&loop}))).at("process_open_fds") == open_before + 2);
}
