#include "onceward/guard/record.hpp"
#include "onceward/telemetry/metrics.hpp"
#include "telemetry/json_text.hpp"
#include "telemetry/metric_text.hpp"
#include "telemetry/process_metrics.hpp"

#include <algorithm>
#include <utility>

namespace onceward::telemetry {
namespace {

/// `value(loop)` of all loops.
template <typename Value>
auto sum(const ScrapeFacts& facts, Value value) {
    decltype(value(*facts.loops.front())) total = 0;
    for (const auto* loop : facts.loops) {
        total += value(*loop);
    }
    return total;
}

template <typename Value>
void gauge(MetricText& text, const ScrapeFacts& facts, std::pair<std::string_view, std::string_view> name_and_help, Value value) {
    text.family(name_and_help.first, MetricType::gauge, name_and_help.second);
    text.sample({}, sum(facts, value));
}

template <typename Value>
void counter(MetricText& text, const ScrapeFacts& facts, std::pair<std::string_view, std::string_view> name_and_help,
             Value value) {
    text.family(name_and_help.first, MetricType::counter, name_and_help.second);
    text.sample({}, sum(facts, value));
}

/// `route` counts as in `ScrapeFacts::route_names`; behind the last one are the requests that match none.
const RouteMetrics& numbers_of(const LoopMetrics& loop, std::size_t route) {
    return route < loop.routes.size() ? *loop.routes[route] : loop.unmatched;
}

/// Calls `each(index, label)` for every route, last the one that stands for no route.
template <typename Each>
void for_each_route(const ScrapeFacts& facts, Each each) {
    for (std::size_t i = 0; i < facts.route_names.size(); ++i) {
        each(i, std::string_view{facts.route_names[i]});
    }
    each(facts.route_names.size(), std::string_view{});
}

/// Samples of one histogram, added up over the loops. Nothing when it never observed anything.
template <typename Select>
void histogram(MetricText& text, const ScrapeFacts& facts, std::pair<std::string_view, std::string_view> label, Select select) {
    std::array<std::uint64_t, Histogram::bounds.size() + 1> buckets{};
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        buckets[i] = sum(facts, [&](const LoopMetrics& loop) { return select(loop).buckets()[i].value(); });
        count += buckets[i];
    }
    if (count == 0) {
        return;
    }
    std::uint64_t below = 0;
    std::string bound;
    for (std::size_t i = 0; i < Histogram::bounds.size(); ++i) {
        below += buckets[i];
        bound.clear();
        append_json_number(bound, Histogram::bounds[i]);
        text.sample("_bucket", {label, {"le", bound}}, below);
    }
    text.sample("_bucket", {label, {"le", "+Inf"}}, count);
    const auto micros = sum(facts, [&](const LoopMetrics& loop) { return select(loop).sum_micros(); });
    text.sample("_sum", {label}, static_cast<double>(micros) / 1e6);
    text.sample("_count", {label}, count);
}

/// Answers that alerts count: such a sample is there before the first of them, for an increase from nothing is none.
bool is_watched(std::size_t status_class, guard::IdempotencyStatus status) {
    return status_class == 4 && (status == guard::IdempotencyStatus::mismatch || status == guard::IdempotencyStatus::unknown);
}

void append_requests(MetricText& text, const ScrapeFacts& facts) {
    constexpr std::array<std::string_view, 6> classes{"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
    text.family(
        "onceward_requests_total", MetricType::counter,
        "Requests by route (empty: none matched), class of the answered status (none: no answer) and idempotency status.");
    for_each_route(facts, [&](std::size_t route, std::string_view name) {
        for (std::size_t status_class = 0; status_class < classes.size(); ++status_class) {
            for (std::size_t status = 0; status < idempotency_status_count; ++status) {
                const auto n = sum(facts, [&](const LoopMetrics& loop) {
                    return numbers_of(loop, route).requests[status_class][status].value();
                });
                const auto idempotency = static_cast<guard::IdempotencyStatus>(status);
                if (n != 0 || (route < facts.route_names.size() && is_watched(status_class, idempotency))) {
                    text.sample({{"route", name},
                                 {"status_class", classes[status_class]},
                                 {"idempotency_status", guard::to_text(idempotency)}},
                                n);
                }
            }
        }
    });
}

void append_executions(MetricText& text, const ScrapeFacts& facts) {
    text.family("onceward_executions_total", MetricType::counter,
                "Executions by route and by what became of them: completed, failed or unknown.");
    for (std::size_t route = 0; route < facts.route_names.size(); ++route) {
        for (std::size_t outcome = 0; outcome < execution_outcome_count; ++outcome) {
            const auto n =
                sum(facts, [&](const LoopMetrics& loop) { return numbers_of(loop, route).executions[outcome].value(); });
            text.sample({{"route", facts.route_names[route]}, {"outcome", to_text(static_cast<ExecutionOutcome>(outcome))}}, n);
        }
    }
    text.family("onceward_upstream_seconds", MetricType::histogram,
                "Time from turning to the upstream to the end of its answer, in seconds, by route (empty: none matched).");
    for_each_route(facts, [&](std::size_t route, std::string_view name) {
        histogram(text, facts, {"route", name},
                  [&](const LoopMetrics& loop) -> const Histogram& { return numbers_of(loop, route).upstream_seconds; });
    });
    text.family("onceward_unguarded_total", MetricType::counter,
                "Requests sent without a claim because the store did not answer (on_store_failure: forward), by route.");
    for (std::size_t route = 0; route < facts.route_names.size(); ++route) {
        const auto n = sum(facts, [&](const LoopMetrics& loop) { return numbers_of(loop, route).unguarded.value(); });
        text.sample({{"route", facts.route_names[route]}}, n);
    }
}

void append_store(MetricText& text, const ScrapeFacts& facts) {
    text.family("onceward_store_seconds", MetricType::histogram, "Time of a store operation, in seconds.");
    for (std::size_t operation = 0; operation < store_operation_count; ++operation) {
        const auto name = to_text(static_cast<StoreOperation>(operation));
        histogram(text, facts, {"operation", name},
                  [&](const LoopMetrics& loop) -> const Histogram& { return loop.store_seconds[operation]; });
    }
    text.family("onceward_store_failures_total", MetricType::counter, "Store operations that failed.");
    for (std::size_t operation = 0; operation < store_operation_count; ++operation) {
        const auto n = sum(facts, [&](const LoopMetrics& loop) { return loop.store_failures[operation].value(); });
        text.sample({{"operation", to_text(static_cast<StoreOperation>(operation))}}, n);
    }
    text.family("onceward_store_data_loss_total", MetricType::counter, "Times that the store was found to have lost records.");
    text.sample({}, facts.data_losses + sum(facts, [](const LoopMetrics& loop) { return loop.data_loss.value(); }));
    counter(text, facts, {"onceward_fenced_total", "Writes of a stale owner that the store refused."},
            [](const LoopMetrics& loop) { return loop.fenced.value(); });
}

void append_loops(MetricText& text, const ScrapeFacts& facts) {
    gauge(text, facts, {"onceward_in_flight", "Requests being handled."},
          [](const LoopMetrics& loop) { return loop.in_flight.value(); });
    gauge(text, facts, {"onceward_connections", "Open client connections."},
          [](const LoopMetrics& loop) { return loop.connections.value(); });
    gauge(text, facts, {"onceward_executions_open", "Executions whose outcome this process still waits for or has yet to store."},
          [](const LoopMetrics& loop) { return loop.executions_open.value(); });
}

void append_records(MetricText& text, const ScrapeFacts& facts) {
    if (!facts.records) {
        gauge(text, facts,
              {"onceward_unknown_open",
               "Records that this process found or made UNKNOWN, less those that it saw settled; add up over all replicas."},
              [](const LoopMetrics& loop) { return loop.unknown_open.value(); });
        return;
    }
    text.family("onceward_records", MetricType::gauge, "Records in the store by state.");
    for (std::size_t state = 0; state < record_state_count; ++state) {
        text.sample({{"state", guard::to_text(static_cast<guard::RecordState>(state))}}, (*facts.records)[state]);
    }
}

void append_reloads(MetricText& text, const ReloadFacts& reloads) {
    text.family("onceward_config_reloads_total", MetricType::counter,
                "Times that the configuration was read again, by what came of it.");
    text.sample({{"result", "applied"}}, reloads.applied);
    text.sample({{"result", "unchanged"}}, reloads.unchanged);
    text.sample({{"result", "rejected"}}, reloads.rejected);
    text.family("onceward_config_reload_failed", MetricType::gauge,
                "1 when the latest configuration could not be used and the one before goes on.");
    text.sample({}, std::uint64_t{reloads.failed});
    text.family("onceward_config_restart_needed", MetricType::gauge, "1 when a part of the configuration waits for a restart.");
    text.sample({}, std::uint64_t{reloads.restart_needed});
    text.family("onceward_config_last_reload_success_timestamp_seconds", MetricType::gauge,
                "When the configuration in use was last read, in seconds since 1970.");
    text.sample({}, std::chrono::duration<double>(reloads.last_success.time_since_epoch()).count());
}

}  // namespace

std::string prometheus_text(const ScrapeFacts& facts) {
    MetricText text;
    append_requests(text, facts);
    append_executions(text, facts);
    append_store(text, facts);
    append_loops(text, facts);
    append_records(text, facts);
    text.family("onceward_ready", MetricType::gauge, "1 while /readyz answers 200, else 0.");
    text.sample({}, std::uint64_t{facts.ready ? 1U : 0U});
    append_reloads(text, facts.reloads);
    text.family("onceward_access_log_dropped_total", MetricType::counter, "Access lines that standard output was too slow for.");
    text.sample({}, facts.access_lines_dropped);
    text.family("onceward_log_dropped_total", MetricType::counter, "Log lines that standard output was too slow for.");
    text.sample({}, facts.log_lines_dropped);
    text.family("onceward_build_info", MetricType::gauge, "Version and kind of store; always 1.");
    text.sample({{"version", facts.version}, {"store", facts.store_kind}}, std::uint64_t{1});
    append_process_metrics(text);
    return text.take();
}

}  // namespace onceward::telemetry
