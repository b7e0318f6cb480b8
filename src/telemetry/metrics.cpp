#include "onceward/telemetry/metrics.hpp"

#include <algorithm>

namespace onceward::telemetry {

void Histogram::observe(std::chrono::microseconds duration) {
    const auto micros = std::max<std::chrono::microseconds::rep>(0, duration.count());
    const auto in_seconds = static_cast<double>(micros) / 1e6;
    const auto* bound = std::lower_bound(bounds.begin(), bounds.end(), in_seconds);
    buckets_[static_cast<std::size_t>(bound - bounds.begin())].add();
    sum_micros_.add(static_cast<std::uint64_t>(micros));
}

std::string_view to_text(StoreOperation operation) {
    switch (operation) {
        case StoreOperation::claim:
            return "claim";
        case StoreOperation::renew:
            return "renew";
        case StoreOperation::complete:
            return "complete";
        case StoreOperation::fail:
            return "fail";
        case StoreOperation::unknown:
            return "unknown";
        case StoreOperation::append:
            return "append";
        case StoreOperation::read:
            return "read";
        case StoreOperation::ping:
            break;
    }
    return "ping";
}

std::string_view to_text(ExecutionOutcome outcome) {
    switch (outcome) {
        case ExecutionOutcome::completed:
            return "completed";
        case ExecutionOutcome::failed:
            return "failed";
        case ExecutionOutcome::unknown:
            break;
    }
    return "unknown";
}

LoopMetrics::LoopMetrics(std::size_t route_count) {
    for (std::size_t i = 0; i < route_count; ++i) {
        routes.push_back(std::make_shared<RouteMetrics>());
    }
}

void RouteMetrics::count_request(int status, guard::IdempotencyStatus idempotency) {
    const auto status_class = status >= 100 && status <= 599 ? static_cast<std::size_t>(status / 100) : 0;
    requests[status_class][static_cast<std::size_t>(idempotency)].add();
}

}  // namespace onceward::telemetry
