#pragma once

#include "app/accept.hpp"
#include "app/admin_control.hpp"
#include "app/store_backend.hpp"
#include "app/supervisor.hpp"
#include "onceward/admin/server.hpp"
#include "onceward/config/options.hpp"
#include "onceward/health/server.hpp"
#include "onceward/id/worker_lease.hpp"
#include "onceward/telemetry/access_log.hpp"
#include "proxy/loop.hpp"
#include "proxy/plan.hpp"
#include "upstream/permits.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/signal_set.hpp>

#include <atomic>
#include <limits>
#include <memory>
#include <vector>

namespace onceward::app {

using std::chrono::steady_clock;

/// The composition root: owns everything, starts it in order and stops it in reverse. Built on the main thread, which then runs
/// the first event loop; each further loop has a thread of its own.
class Application final : private health::HealthSource, private store::RedisEvents {
public:
    /// Opens the store and the listeners. Throws std::exception with a text for people when something can't be opened.
    explicit Application(const config::Options& options);
    ~Application() override;

    /// Serves until a signal ends it. The process's exit code.
    int run();

private:
    /// One event loop with what belongs to it. The io_context is the last to go: what waits on it is destroyed before.
    struct Worker {
        Worker(const proxy::Plan& plan, upstream::Permits& permits, proxy::ConnectionCount& connections,
               telemetry::AccessRing& ring);
        asio::io_context io{1};
        proxy::Loop loop;
        std::vector<net::Acceptor> acceptors;
        std::atomic<bool> drained{false};
        asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, net::Executor> rest_timer{io.get_executor()};
    };

    void open_listeners();
    void open_admin();
    void start();
    void hand_grant(const id::WorkerGrant& grant);
    void tell_supervisor();
    Task<> watch_store();
    Task<> wait_for_signals();
    Task<> ignore_hangups();
    Task<> drain();
    Task<> drain_worker(Worker& worker, Deadline until);
    void finish();
    static void come_to_rest(Worker& worker);

    [[nodiscard]] bool has_worker_id() const;
    bool ready() override;
    std::string readiness_text(health::Detail detail) override;
    std::string metrics() override;
    void on_data_loss(std::string_view evidence) override;
    void on_notice(config::LogLevel level, std::string_view event, std::string_view detail) override;

    const config::Options& options_;
    Supervisor supervisor_ = Supervisor::from_environment();
    proxy::Plan plan_;
    telemetry::AccessLog access_log_;
    upstream::Permits permits_;
    proxy::ConnectionCount connections_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::unique_ptr<StoreBackend> backend_;
    std::unique_ptr<health::HealthServer> health_;
    AdminControl admin_control_;
    std::unique_ptr<admin::AdminServer> admin_;
    std::unique_ptr<id::WorkerLeaseKeeper> lease_;
    asio::basic_signal_set<net::Executor> signals_;
    asio::basic_signal_set<net::Executor> hangups_;
    net::Event look_again_;  ///< ends the pause between two looks at the store
    std::atomic<bool> store_answers_{false};
    std::atomic<std::int64_t> ids_usable_from_{std::numeric_limits<std::int64_t>::max()};  ///< microseconds since 1970
    std::atomic<bool> draining_{false};
    std::atomic<std::uint64_t> data_losses_{0};
};

}  // namespace onceward::app
