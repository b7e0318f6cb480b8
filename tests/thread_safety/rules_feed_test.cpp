#include "app/rules_feed.hpp"

#include "app/worker.hpp"
#include "catch.hpp"
#include "net/spawn.hpp"
#include "onceward/config/load.hpp"
#include "onceward/store/memory_store.hpp"

#include <atomic>
#include <thread>

using namespace onceward;

namespace {

constexpr std::size_t loop_count = 3;
constexpr std::uint32_t last_generation = 200;

/// The number of the configuration is a limit that nothing here reads, and every second one has a route more.
proxy::PlanPtr plan_of(std::uint32_t generation) {
    auto text = "upstream: http://127.0.0.1:3000\nstore: {url: 'memory:'}\nlimits: {connections: " + std::to_string(generation) +
                "}\nroutes:\n  - {name: orders, path: /orders}\n";
    if (generation % 2 == 0) {
        text += "  - {name: refunds, path: /refunds}\n";
    }
    auto loaded = config::load_text(text, "/etc/onceward/c.yaml");
    REQUIRE(loaded.ok());
    return std::make_shared<const proxy::Plan>(std::move(loaded.options));
}

class NoSink final : public store::ChangeSink {
    void on_change(const RecordId& /*id*/) override {}
};

/// What one loop saw, on its own thread.
struct Seen {
    std::uint64_t requests = 0;
    std::uint64_t mixed = 0;      ///< rules whose parts are of two configurations
    std::uint64_t backwards = 0;  ///< older rules behind newer ones
};

/// Takes the loop's rules as a request does, keeps them over other turns of the loop, and counts under them.
Task<> serve(proxy::Loop& loop, const std::atomic<bool>& over, Seen& seen) {
    std::uint32_t newest = 0;
    while (!over) {
        const auto rules = loop.rules;
        const auto generation = rules->options().limits.connections;
        net::Event turn(loop.io);
        turn.set();
        co_await turn.wait();
        turn.take();
        const auto routes = rules->options().routes.size();
        const bool whole = rules->options().limits.connections == generation && rules->route_metrics.size() == routes + 1 &&
                           routes == (generation % 2 == 0 ? 2U : 1U);
        seen.mixed += whole ? 0 : 1;
        seen.backwards += generation < newest ? 1 : 0;
        newest = generation;
        rules->route_metrics.front()->count_request(201, guard::IdempotencyStatus::executed);
        ++seen.requests;
    }
}

Task<> change_all(app::RulesFeed& feed, const std::vector<proxy::PlanPtr>& plans, std::atomic<bool>& over) {
    for (const auto& plan : plans) {
        co_await feed.change(plan);
    }
    over = true;
}

}  // namespace

TEST_CASE("a configuration is handed over while every loop answers by it") {
    const auto first = plan_of(1);
    upstream::Permits permits(1);
    proxy::ConnectionCount connections(1);
    app::Workers workers;
    std::vector<store::MemoryLoop> users;
    NoSink sink;
    for (std::size_t i = 0; i < loop_count; ++i) {
        workers.push_back(std::make_unique<app::Worker>(first->options, permits, connections));
        users.push_back({&workers.back()->io, &sink});
    }
    store::MemoryBackend backend(users);
    app::RulesFeed feed(first);
    std::vector<Seen> seen(loop_count);
    std::atomic<bool> over{false};
    for (std::size_t i = 0; i < loop_count; ++i) {
        feed.attach(workers[i]->loop);
        workers[i]->loop.store = store::make_memory_store(backend, i);
        net::spawn(workers[i]->io, serve(workers[i]->loop, over, seen[i]));
    }
    std::vector<proxy::PlanPtr> plans;
    for (std::uint32_t generation = 2; generation <= last_generation; ++generation) {
        plans.push_back(plan_of(generation));
    }
    net::spawn(workers.front()->io, change_all(feed, plans, over));
    std::vector<std::thread> threads;
    for (auto& worker : workers) {
        worker->work.reset();
        threads.emplace_back([&io = worker->io] { io.run(); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < loop_count; ++i) {
        CHECK(seen[i].requests > 0);
        CHECK(seen[i].mixed == 0);
        CHECK(seen[i].backwards == 0);
        CHECK(workers[i]->loop.options().limits.connections == last_generation);
    }
    CHECK(feed.options().limits.connections == last_generation);
    CHECK(feed.route_names() == std::vector<std::string>{"orders", "refunds"});
}
