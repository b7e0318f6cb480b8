#include "app/application.hpp"

#include "app/accept.hpp"
#include "app/cores.hpp"
#include "onceward/base/clock.hpp"
#include "onceward/base/joined.hpp"
#include "onceward/id/owner_token.hpp"
#include "onceward/telemetry/log.hpp"
#include "onceward/version.hpp"
#include "proxy/spawn.hpp"
#include "proxy/store_call.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

namespace onceward::app {

namespace {

constexpr milliseconds store_look_interval{1000};
constexpr milliseconds rest_look_interval{20};

std::size_t thread_count(const config::Options& options) {
    return options.threads > 0 ? options.threads : usable_cores();
}

}  // namespace

Application::Application(std::string file, config::Loaded configuration)
    : started_with_(std::make_shared<const proxy::Plan>(std::move(configuration.options))),
      rules_(started_with_),
      permits_(options().upstream.max_connections),
      connections_(options().limits.connections),
      workers_([this] {
          Workers workers;
          for (std::size_t i = 0; i < thread_count(options()); ++i) {
              workers.push_back(std::make_unique<Worker>(options(), permits_, connections_));
          }
          return workers;
      }()),
      admin_control_([this]() -> const config::Options& { return options(); },
                     [this] { return reloader_.reload("POST /reload"); },
                     [this](guard::UnknownChange change) { proxy::note_unknown(workers_.front()->loop, change); }),
      reloader_(workers_.front()->loop, supervisor_, std::move(file), std::move(configuration.files),
                {[this]() -> const config::Options& { return options(); },
                 [this](proxy::PlanPtr plan) { return take(std::move(plan)); }}),
      drain_(workers_, supervisor_),
      signals_(workers_.front()->io.get_executor(), SIGTERM, SIGINT, SIGQUIT),
      hangups_(workers_.front()->io.get_executor(), SIGHUP),
      look_again_(workers_.front()->io) {
    std::vector<StoreUser> users;
    for (auto& worker : workers_) {
        rules_.attach(worker->loop);
        users.push_back({&worker->io, &worker->loop.waiters});
    }
    store::RedisEvents& events = *this;
    backend_ = std::make_unique<StoreBackend>(started_with_->options, users, events);
    open_listeners();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i]->loop.store = backend_->open(i);
    }
    open_admin();
}

Application::~Application() = default;

void Application::open_listeners() {
    std::vector<asio::io_context*> loops;
    for (auto& worker : workers_) {
        loops.push_back(&worker->io);
    }
    for (const auto& listener : options().listen) {
        const auto& address = listener.address;
        auto acceptors = net::open_listeners(loops, address);
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            workers_[i]->acceptors.push_back(std::move(acceptors[i]));
        }
        workers_.front()->socket_files.emplace_back(address);
        telemetry::info("listening", {{"address", config::to_text(address)}});
    }
    if (options().health) {
        health::HealthSource& source = *this;
        health_ = std::make_unique<health::HealthServer>(workers_.front()->io, *options().health, source);
        health_->start();
        telemetry::info("health listening", {{"address", config::to_text(*options().health)}});
    }
}

/// It looks at records through the first loop's store, which is there by now.
void Application::open_admin() {
    if (!options().admin) {
        return;
    }
    auto& first = *workers_.front();
    health::HealthSource& source = *this;
    admin_ = std::make_unique<admin::AdminServer>(first.io, *started_with_->options.admin,
                                                  admin::AdminParts{source, admin_control_, *first.loop.store});
    admin_->start();
    telemetry::info("admin listening", {{"address", config::to_text(options().admin->address)}});
}

void Application::start() {
    auto& first = *workers_.front();
    lease_ = std::make_unique<id::WorkerLeaseKeeper>(
        first.io, *first.loop.store, id::WorkerLeaseOptions{options().worker_id, id::make_owner_token(), options().store.timeout},
        [this](const id::WorkerGrant& grant) { hand_grant(grant); });
    proxy::spawn(first.loop, lease_->run());
    proxy::spawn(first.loop, watch_store());
    proxy::spawn(first.loop, wait_for_signals());
    proxy::spawn(first.loop, heed_hangups());
    proxy::spawn(first.loop, reloader_.watch());
    for (auto& worker : workers_) {
        for (std::size_t i = 0; i < worker->acceptors.size(); ++i) {
            proxy::spawn(worker->loop, accept_connections(worker->loop, worker->acceptors[i], i));
        }
    }
}

int Application::run() {
    start();
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
        threads.emplace_back([this, i] { workers_[i]->io.run(); });
    }
    telemetry::info("started", {{"version", onceward::version}, {"threads", static_cast<std::int64_t>(workers_.size())}});
    workers_.front()->io.run();
    for (auto& thread : threads) {
        thread.join();
    }
    // The stores end their connections while all loops are still there; what they left to do is done without blocking.
    for (auto& worker : workers_) {
        worker->loop.store.reset();
    }
    for (auto& worker : workers_) {
        worker->io.restart();
        worker->io.poll();
    }
    telemetry::info("stopped");
    return EXIT_SUCCESS;
}

void Application::hand_grant(const id::WorkerGrant& grant) {
    const auto count = static_cast<std::uint32_t>(workers_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        auto& worker = *workers_[i];
        asio::post(worker.io.get_executor(), [&worker, grant, i, count] { worker.loop.ids.set_grant(grant, {i, count}); });
    }
    ids_usable_from_ = to_micros(grant.from);
    if (ready()) {
        tell_supervisor();
    }
}

void Application::tell_supervisor() {
    supervisor_.serving(store_answers_ ? "serving" : "serving, but the store does not answer");
}

/// Keeps `/readyz` true to the store, whether or not requests come.
Task<> Application::watch_store() {
    auto& loop = workers_.front()->loop;
    bool first = true;
    while (!loop.stopping) {
        const auto begun = steady_clock::now();
        const auto answered = co_await loop.store->ping(begun + options().store.timeout);
        const auto result = answered ? proxy::CallResult::answered : proxy::CallResult::failed;
        proxy::observe_store(loop, telemetry::StoreOperation::ping, begun, result);
        const bool before = store_answers_.exchange(answered.has_value());
        if (!answered && (before || first)) {
            telemetry::warn("the store does not answer", {{"error", answered.error().message()}});
        } else if (answered && !before && !first) {
            telemetry::info("the store answers again");
        }
        first = false;
        // Without a store, too: what is not guarded is served then, and waiting would only let the start time out.
        if (ready() || !answered) {
            tell_supervisor();
        }
        if (answered) {
            co_await rules_memory_.remember(loop, rules_.plan());
        }
        // Until there is one, readiness is looked for often: a start should not cost a whole interval.
        const auto pause = answered ? store_look_interval : store_look_interval / 4;
        co_await look_again_.wait_until(loop.deadlines, steady_clock::now() + pause);
        look_again_.take();
    }
}

Task<> Application::wait_for_signals() {
    const auto [failed, number] = co_await signals_.async_wait(net::use_task);
    if (failed) {
        co_return;
    }
    telemetry::info("stopping", {{"signal", std::int64_t{number}}});
    proxy::spawn(workers_.front()->loop, drain());
    const auto [cancelled, again] = co_await signals_.async_wait(net::use_task);
    if (!cancelled) {
        telemetry::warn("stopping at once: a second signal came; running executions read as UNKNOWN once their lease is over",
                        {{"signal", std::int64_t{again}}});
        telemetry::close_log();
        std::_Exit(EXIT_SUCCESS);
    }
}

/// Each asks for the configuration to be read again. A terminal that closed says the same, and that harms nothing.
Task<> Application::heed_hangups() {
    for (;;) {
        const auto [ended, number] = co_await hangups_.async_wait(net::use_task);
        if (ended) {
            co_return;
        }
        co_await reloader_.reload("SIGHUP");
    }
}

/// What does not belong to one loop changes here, everything else with the loops' rules.
Task<> Application::take(proxy::PlanPtr plan) {
    const auto& next = plan->options;
    if (next.log.level != options().log.level) {
        // Else a level that was set otherwise stays.
        telemetry::set_level(next.log.level);
    }
    telemetry::set_format(next.log.format);
    permits_.set_max(next.upstream.max_connections);
    connections_.set_max(next.limits.connections);
    co_await rules_.change(std::move(plan));
    co_await rules_memory_.remember(workers_.front()->loop, rules_.plan());
}

/// Readiness goes first, then the listeners; what is under way has `shutdown_grace`.
Task<> Application::drain() {
    draining_ = true;
    reloader_.stop();
    co_await drain_.run(options());
    finish();
}

/// Ends every loop once its coroutines have ended. A loop where one does not is left behind with its thread: records stay safe,
/// their leases end.
void Application::finish() {
    signals_.cancel();
    hangups_.cancel();
    lease_->stop();
    if (health_) {
        health_->stop();
    }
    if (admin_) {
        admin_->stop();
    }
    for (auto& worker : workers_) {
        auto& w = *worker;
        asio::post(w.io.get_executor(), [&w] {
            w.loop.stopping = true;
            w.loop.pool.drain();
            come_to_rest(w);
        });
    }
    asio::post(workers_.front()->io.get_executor(), [this] { look_again_.set(); });
    std::thread([] {
        std::this_thread::sleep_for(stop_limit);
        telemetry::warn("a loop did not come to rest in time");
        telemetry::close_log();
        std::_Exit(EXIT_SUCCESS);
    }).detach();
}

void Application::come_to_rest(Worker& worker) {
    if (worker.loop.coroutine_count == 0) {
        worker.io.stop();
        return;
    }
    worker.rest_timer.expires_after(rest_look_interval);
    worker.rest_timer.async_wait([&worker](const boost::system::error_code& ec) {
        if (!ec) {
            come_to_rest(worker);
        }
    });
}

bool Application::has_worker_id() const {
    return ids_usable_from_ <= to_micros(base::wall_clock());
}

bool Application::ready() {
    return store_answers_ && has_worker_id() && !draining_;
}

std::string Application::readiness_text(health::Detail detail) {
    const auto line = [](const char* name, bool good, const char* otherwise) {
        return std::string(good ? "[+]" : "[-]") + name + (good ? " ok\n" : std::string(" ") + otherwise + "\n");
    };
    if (detail == health::Detail::every_check) {
        return configuration_line() + line("store", store_answers_, "does not answer") +
               line("worker-id", has_worker_id(), "not leased yet") + line("draining", !draining_, "the process is stopping");
    }
    if (draining_) {
        return "draining\n";
    }
    if (!store_answers_) {
        return "the store does not answer\n";
    }
    return has_worker_id() ? "ok\n" : "no worker id leased yet\n";
}

/// Not a check: what can't be taken changes nothing about the requests that are served.
std::string Application::configuration_line() const {
    if (reloader_.failed()) {
        return "[-]config the latest file is not used, the log says why; the one before goes on\n";
    }
    const auto keys = base::joined(reloader_.needs_restart(), ", ");
    return keys.empty() ? "[+]config ok\n" : "[+]config ok, but this needs a restart: " + keys + "\n";
}

std::string Application::metrics() {
    telemetry::ScrapeFacts facts;
    facts.route_names = rules_.route_names();
    for (const auto& worker : workers_) {
        facts.loops.push_back(&worker->loop.metrics);
    }
    facts.reloads = reloader_.facts();
    facts.access_lines_dropped = rules_.access_lines_dropped();
    facts.version = onceward::version;
    facts.store_kind = workers_.front()->loop.store->info().kind;
    facts.data_losses = data_losses_;
    facts.log_lines_dropped = telemetry::log_lines_dropped();
    facts.records = backend_->record_counts();
    facts.ready = ready();
    return telemetry::prometheus_text(facts);
}

void Application::on_data_loss(std::string_view evidence) {
    data_losses_.fetch_add(1);
    rules_memory_.forget();
    telemetry::error("the store lost data: keys it had may execute again", {{"evidence", evidence}});
}

void Application::on_notice(config::LogLevel level, std::string_view event, std::string_view detail) {
    telemetry::log(level, event, {{"detail", detail}});
}

}  // namespace onceward::app
