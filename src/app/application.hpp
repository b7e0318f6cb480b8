#pragma once

#include "app/admin_control.hpp"
#include "app/drain.hpp"
#include "app/reloader.hpp"
#include "app/rules_feed.hpp"
#include "app/rules_memory.hpp"
#include "app/store_backend.hpp"
#include "app/supervisor.hpp"
#include "app/worker.hpp"
#include "onceward/admin/server.hpp"
#include "onceward/config/load.hpp"
#include "onceward/health/server.hpp"
#include "onceward/id/worker_lease.hpp"
#include "upstream/permits.hpp"

#include <boost/asio/signal_set.hpp>

#include <atomic>
#include <limits>
#include <memory>
#include <string>

namespace onceward::app {

using std::chrono::steady_clock;

/// The composition root: owns everything, starts it in order and stops it in reverse. Built on the main thread, which then runs
/// the first event loop; each further loop has a thread of its own.
class Application final : private health::HealthSource, private store::RedisEvents {
public:
    /// Opens the store and the listeners. `file` is what `configuration` was loaded from. Throws std::exception with a text for
    /// people when something can't be opened.
    Application(std::string file, config::Loaded configuration);
    ~Application() override;

    /// Serves until a signal ends it. The process's exit code.
    int run();

private:
    void open_listeners();
    void open_admin();
    void start();
    void hand_grant(const id::WorkerGrant& grant);
    void tell_supervisor();
    Task<> watch_store();
    Task<> wait_for_signals();
    Task<> heed_hangups();
    Task<> take(proxy::PlanPtr plan);
    Task<> drain();
    void finish();
    static void come_to_rest(Worker& worker);

    [[nodiscard]] bool has_worker_id() const;
    bool ready() override;
    std::string readiness_text(health::Detail detail) override;
    [[nodiscard]] std::string configuration_line() const;
    std::string metrics() override;
    void on_data_loss(std::string_view evidence) override;
    void on_notice(config::LogLevel level, std::string_view event, std::string_view detail) override;

    [[nodiscard]] const config::Options& options() const { return rules_.options(); }

    Supervisor supervisor_ = Supervisor::from_environment();
    const proxy::PlanPtr started_with_;  ///< what only a start reads: listeners, the store, the number of loops
    RulesFeed rules_;
    RulesMemory rules_memory_;
    upstream::Permits permits_;
    proxy::ConnectionCount connections_;
    Workers workers_;
    std::unique_ptr<StoreBackend> backend_;
    std::unique_ptr<health::HealthServer> health_;
    AdminControl admin_control_;
    std::unique_ptr<admin::AdminServer> admin_;
    std::unique_ptr<id::WorkerLeaseKeeper> lease_;
    Reloader reloader_;
    Drain drain_;
    asio::basic_signal_set<net::Executor> signals_;
    asio::basic_signal_set<net::Executor> hangups_;
    net::Event look_again_;  ///< ends the pause between two looks at the store
    std::atomic<bool> store_answers_{false};
    std::atomic<std::int64_t> ids_usable_from_{std::numeric_limits<std::int64_t>::max()};  ///< microseconds since 1970
    std::atomic<bool> draining_{false};
    std::atomic<std::uint64_t> data_losses_{0};
};

}  // namespace onceward::app
