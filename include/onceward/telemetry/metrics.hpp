#pragma once

#include "onceward/guard/problem.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::telemetry {

/// A counter that one thread adds to and any thread reads: no locked instruction on the request path.
class Counter {
public:
    void add(std::uint64_t n = 1) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// Likewise; may go down.
class Gauge {
public:
    void add(std::int64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> value_{0};
};

/// Durations in the usual buckets, 0.0005 s to 10 s.
class Histogram {
public:
    static constexpr std::array<double, 14> bounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                   0.1,    0.25,  0.5,    1.0,   2.5,  5.0,   10.0};
    void observe(std::chrono::microseconds duration);
    [[nodiscard]] const std::array<Counter, bounds.size() + 1>& buckets() const { return buckets_; }
    [[nodiscard]] std::uint64_t sum_micros() const { return sum_micros_.value(); }

private:
    std::array<Counter, bounds.size() + 1> buckets_;
    Counter sum_micros_;
};

/// `append` and `read` are of large answers in pieces.
enum class StoreOperation : std::uint8_t { claim, renew, complete, fail, unknown, append, read, ping };
inline constexpr std::size_t store_operation_count = 8;
std::string_view to_text(StoreOperation operation);

enum class ExecutionOutcome : std::uint8_t { completed, failed, unknown };
inline constexpr std::size_t execution_outcome_count = 3;
std::string_view to_text(ExecutionOutcome outcome);
inline constexpr std::size_t idempotency_status_count = 9;
inline constexpr std::size_t record_state_count = 5;

/// Numbers of one route in one event loop.
struct RouteMetrics {
    /// [status class 1xx..5xx, 0 for no answer][idempotency status]: `onceward_requests_total`
    std::array<std::array<Counter, idempotency_status_count>, 6> requests;
    std::array<Counter, execution_outcome_count> executions;
    Histogram upstream_seconds;
    Counter unguarded;

    /// A status outside 100..599 counts as no answer.
    void count_request(int status, guard::IdempotencyStatus idempotency);
};

/// Numbers of one event loop: it alone writes them, the scrape reads them. Labels come from configuration only.
struct LoopMetrics {
    explicit LoopMetrics(std::size_t route_count = 0);
    /// In the order of `ScrapeFacts::route_names`. The list is the scraping thread's alone (`RouteSeries`); the loop holds those
    /// that it counts under.
    std::vector<std::shared_ptr<RouteMetrics>> routes;
    RouteMetrics unmatched;  ///< of requests that match no route
    std::array<Histogram, store_operation_count> store_seconds;
    std::array<Counter, store_operation_count> store_failures;
    Gauge in_flight;    ///< requests being handled
    Gauge connections;  ///< client connections
    Gauge executions_open;
    Gauge unknown_open;  ///< records that this loop made or found UNKNOWN, less those that it saw settled; may be negative
    Counter fenced;
    Counter data_loss;
};

/// What became of the attempts to read the configuration again.
struct ReloadFacts {
    bool failed = false;          ///< the latest attempt was rejected
    bool restart_needed = false;  ///< the file says something that only a start reads
    std::uint64_t applied = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t rejected = 0;
    std::chrono::system_clock::time_point last_success;  ///< the start counts
};

/// What a scrape shows beside the loops' numbers.
struct ScrapeFacts {
    std::vector<std::string> route_names;
    std::vector<const LoopMetrics*> loops;
    std::uint64_t access_lines_dropped = 0;
    std::uint64_t data_losses = 0;  ///< noticed outside of the loops' own commands; added to theirs
    std::uint64_t log_lines_dropped = 0;
    /// By `guard::RecordState`; nothing on a store that can't count them: `onceward_unknown_open` is shown in their place.
    std::optional<std::array<std::uint64_t, record_state_count>> records;
    bool ready = false;
    ReloadFacts reloads;
    std::string version;
    std::string store_kind;
};

/// The Prometheus text format (version 0.0.4), all loops added up, process metrics included.
std::string prometheus_text(const ScrapeFacts& facts);

}  // namespace onceward::telemetry
