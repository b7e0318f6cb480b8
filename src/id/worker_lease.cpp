#include "onceward/id/worker_lease.hpp"

#include "id/lease_schedule.hpp"
#include "net/use_task.hpp"
#include "onceward/base/clock.hpp"
#include "onceward/crypto/random.hpp"
#include "onceward/telemetry/log.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

#include <array>
#include <utility>

namespace onceward::id {
namespace {

namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// For a worker id that is let go: the shortest a store can be asked for.
constexpr milliseconds at_once{1};

int random_worker() {
    std::array<std::uint8_t, 2> bytes{};
    crypto::random_bytes(bytes);
    return (bytes[0] << 8 | bytes[1]) % worker_count;
}

void tell(LeaseSchedule::News news, int worker, const boost::system::error_code& error) {
    const auto message = error ? error.message() : std::string{};
    switch (news) {
        case LeaseSchedule::News::none:
            return;
        case LeaseSchedule::News::acquired:
            return telemetry::info("worker id leased", {{"worker", std::int64_t{worker}}});
        case LeaseSchedule::News::renewed:
            return telemetry::info("worker id renewed again", {{"worker", std::int64_t{worker}}});
        case LeaseSchedule::News::failing:
            return telemetry::warn("worker id can't be leased: the store does not answer", {{"error", message}});
        case LeaseSchedule::News::taken:
            return telemetry::warn(
                "worker id can't be leased: it is another process's, none is free, or the store refuses; no operation ids until "
                "one is",
                {{"worker", std::int64_t{worker}}});
        case LeaseSchedule::News::given_away:
            return telemetry::warn("worker id was renewed too late and is another process's; taking another one");
    }
}

}  // namespace

struct WorkerLeaseKeeper::Parts {
    store::Store& store;
    WorkerLeaseOptions options;
    OnGrant on_grant;
    LeaseSchedule schedule;
    Timer timer;
    bool stopping = false;

    void grant_without_lease();
    Task<milliseconds> ask();
    Task<> let_go();
};

void WorkerLeaseKeeper::Parts::grant_without_lease() {
    const int worker = options.worker_id ? static_cast<int>(*options.worker_id) : random_worker();
    if (!options.worker_id) {
        telemetry::warn(
            "worker id is random: the store is not shared, so that no other process can be asked; set worker_id if there are "
            "several",
            {{"worker", std::int64_t{worker}}});
    }
    on_grant({worker, base::wall_clock(), snowflake_end});
}

/// One request; gives the wait until the next.
Task<milliseconds> WorkerLeaseKeeper::Parts::ask() {
    store::WorkerLeaseRequest request;
    request.owner = options.process;
    request.wanted = schedule.wanted();
    request.clock = base::wall_clock();
    request.horizon = LeaseSchedule::horizon;
    request.lease = LeaseSchedule::lease;
    const auto lease = co_await store.lease_worker(request, std::chrono::steady_clock::now() + options.store_timeout);
    if (lease) {
        const auto step = schedule.on_lease(*lease);
        tell(step.news, lease->worker_id, {});
        on_grant({lease->worker_id, lease->usable_from, lease->confirmed_until});
        co_return step.wait;
    }
    const auto step = schedule.on_failure(lease.error());
    tell(step.news, request.wanted, lease.error());
    co_return step.wait;
}

Task<> WorkerLeaseKeeper::Parts::let_go() {
    store::WorkerLeaseRequest request;
    request.owner = options.process;
    request.wanted = schedule.wanted();
    request.clock = base::wall_clock();
    request.horizon = at_once;
    request.lease = at_once;
    // Best effort: unanswered, the lease ends by itself.
    const auto lease = co_await store.lease_worker(request, std::chrono::steady_clock::now() + options.store_timeout);
    if (!lease) {
        telemetry::debug("worker id was not let go", {{"error", lease.error().message()}});
    }
}

WorkerLeaseKeeper::WorkerLeaseKeeper(asio::io_context& loop, store::Store& store, const WorkerLeaseOptions& options,
                                     OnGrant on_grant)
    : parts_(
          new Parts{store, options, std::move(on_grant), LeaseSchedule{options.worker_id}, Timer{loop.get_executor()}, false}) {}

WorkerLeaseKeeper::~WorkerLeaseKeeper() = default;

Task<> WorkerLeaseKeeper::run() {
    auto& parts = *parts_;
    if (!parts.store.info().shared) {
        parts.grant_without_lease();
        co_return;
    }
    while (!parts.stopping) {
        const auto sent = std::chrono::steady_clock::now();
        const auto wait = co_await parts.ask();
        if (!parts.stopping) {
            parts.timer.expires_at(sent + wait);
            // Ends early when `stop` cancels it; the loop's condition tells.
            co_await parts.timer.async_wait(net::use_task);
        }
    }
    if (parts.schedule.holds()) {
        co_await parts.let_go();
    }
}

void WorkerLeaseKeeper::stop() {
    parts_->stopping = true;
    parts_->timer.cancel();
}

}  // namespace onceward::id
