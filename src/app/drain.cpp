#include "app/drain.hpp"

#include "app/accept.hpp"
#include "net/event.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/spawn.hpp"
#include "proxy/store_call.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace onceward::app {

namespace {

using std::chrono::steady_clock;

constexpr milliseconds look_interval{20};
constexpr seconds report_interval{5};
/// What is left at the end of the grace has this long, beside the store's time limit, to be marked UNKNOWN.
constexpr milliseconds settle_margin{500};

}  // namespace

Drain::Drain(Workers& workers, Supervisor& supervisor) : workers_(workers), supervisor_(supervisor), over_(workers.front()->io) {}

Drain::Numbers Drain::numbers() const {
    Numbers sum;
    for (const auto& worker : workers_) {
        const auto& metrics = worker->loop.metrics;
        sum.in_flight += metrics.in_flight.value();
        sum.executions += metrics.executions_open.value();
        sum.connections += metrics.connections.value();
    }
    return sum;
}

bool Drain::all_drained() const {
    return std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) { return worker->drained.load(); });
}

Task<> Drain::run(const config::Options& options) {
    const auto store_timeout = options.store.timeout;
    const auto shutdown_min = options.shutdown_min;
    serve_until_ = steady_clock::now() + shutdown_min;
    until_ = serve_until_ + options.shutdown_grace;
    const auto at_most = shutdown_min + options.shutdown_grace + store_timeout + settle_margin + 2 * stop_limit;
    supervisor_.stopping("draining: what is under way may finish", at_most);
    for (auto& worker : workers_) {
        auto& loop = worker->loop;
        asio::post(loop.io.get_executor(), [&loop] { loop.draining = true; });
    }
    auto& first = workers_.front()->loop;
    proxy::spawn(first, report());
    if (shutdown_min > milliseconds{0}) {
        co_await proxy::pause_for(first, shutdown_min);
        telemetry::info("no new connection is taken from now on");
    }
    for (auto& worker : workers_) {
        auto& w = *worker;
        asio::post(w.io.get_executor(), [&w, until = until_] { proxy::spawn(w.loop, drain_worker(w, until)); });
    }
    const auto give_up = until_ + store_timeout + settle_margin + stop_limit;
    while (!all_drained() && steady_clock::now() < give_up) {
        co_await proxy::pause_for(first, look_interval);
    }
    over_.set();
}

/// Says every few seconds what the process still waits for.
Task<> Drain::report() {
    auto& first = workers_.front()->loop;
    for (;;) {
        const auto now = steady_clock::now();
        const auto left = std::chrono::ceil<seconds>(std::max(until_ - now, Deadline::duration{0}));
        const auto sum = numbers();
        telemetry::info("draining", {{"in_flight", sum.in_flight},
                                     {"executions", sum.executions},
                                     {"connections", sum.connections},
                                     {"taking_connections", now < serve_until_},
                                     {"seconds_left", std::int64_t{left.count()}}});
        supervisor_.still_stopping("draining: " + std::to_string(sum.in_flight) + " requests in flight, " +
                                   std::to_string(left.count()) + " s left");
        co_await over_.wait_until(first.deadlines, now + report_interval);
        if (over_.take()) {
            co_return;
        }
    }
}

Task<> Drain::drain_worker(Worker& worker, Deadline until) {
    auto& loop = worker.loop;
    loop.closing = true;
    for (auto& file : worker.socket_files) {
        file.remove();
    }
    for (std::size_t i = 0; i < worker.acceptors.size(); ++i) {
        close_listener(loop, worker.acceptors[i], i);
    }
    for (auto& session : loop.sessions) {
        session.drain();
    }
    // A connection that was accepted just before is on its way to the loop.
    net::Event turn(loop.io);
    turn.set();
    co_await turn.wait();
    turn.take();
    const auto busy = [&loop] { return loop.opening_count > 0 || !loop.sessions.empty() || loop.executions.open_count() > 0; };
    while (busy() && steady_clock::now() < until) {
        co_await proxy::pause_for(loop, look_interval);
    }
    if (busy()) {
        telemetry::warn("the grace is over: what still runs is marked UNKNOWN",
                        {{"executions", static_cast<std::int64_t>(loop.executions.open_count())}});
    }
    loop.grace_over = true;
    loop.executions.abandon_all();
    loop.waiters.wake_all();
    for (auto& session : loop.sessions) {
        session.give_up_passage();
    }
    const auto settle_until = steady_clock::now() + loop.options().store.timeout + settle_margin;
    while (busy() && steady_clock::now() < settle_until) {
        co_await proxy::pause_for(loop, look_interval);
    }
    loop.stopping = true;
    for (auto& session : loop.sessions) {
        session.break_off();
    }
    worker.drained = true;
}

}  // namespace onceward::app
