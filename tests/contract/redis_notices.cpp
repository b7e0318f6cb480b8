#include "catch.hpp"
#include "redis_scene.hpp"

#include <algorithm>

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::record_id;

namespace {

int count_of(const std::string& text, std::string_view word) {
    int count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

std::string subscribers(const RedisServer& server) {
    return server.command({"CLIENT", "LIST", "TYPE", "pubsub"});
}

/// Until the server knows of the subscription, and the waiter was told to look once.
void watch(RedisScene& scene, const RecordId& id) {
    const auto before = scene.changes.counts[id];
    scene.redis().watch(id);
    scene.run_until([&] { return scene.changes.counts[id] > before; });
}

}  // namespace

TEST_CASE("a loop has one connection for all it waits for, and none before") {
    RedisServer server;
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    CHECK(subscribers(server).empty());
    for (std::uint64_t id = 1; id <= 5; ++id) {
        watch(scene, record_id(id));
    }
    CHECK(count_of(subscribers(server), "\n") == 1);
    for (std::uint64_t id = 1; id <= 5; ++id) {
        scene.redis().unwatch(record_id(id));
    }
    scene.run_until([&] { return count_of(subscribers(server), "sub=0 ") == 1 || subscribers(server).empty(); });
}

TEST_CASE("who waits is told of the end, once for each change") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    watch(scene, request.id);
    const auto before = scene.changes.counts[request.id];
    scene.apply(command(request, claim, Renew{})).value();
    scene.apply(command(request, claim, Complete{test::response()})).value();
    scene.run_until([&] { return scene.changes.counts[request.id] > before; });
    CHECK(scene.changes.counts[request.id] == before + 1);
}

TEST_CASE("a subscription that was cut is made again") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    watch(scene, request.id);
    const auto before = scene.changes.counts[request.id];
    server.command({"CLIENT", "KILL", "TYPE", "pubsub"});
    // The waiter is told to look again: it may have missed the change.
    scene.run_until([&] { return scene.changes.counts[request.id] > before; });
    const auto again = scene.changes.counts[request.id];
    scene.apply(command(request, claim, Complete{test::response()})).value();
    scene.run_until([&] { return scene.changes.counts[request.id] > again; });
}

TEST_CASE("what can be lost is told at the start") {
    RedisServer server({"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"});
    RedisScene scene(server.tcp());
    scene.run_until([&] { return scene.events.noticed("store_not_replicated"); });
    CHECK(scene.events.noticed("allkeys-lru"));
    CHECK(scene.events.noticed("no persistence"));
    CHECK(scene.events.losses.empty());
}

TEST_CASE("one store of a process watches for all") {
    RedisServer server;
    boost::asio::io_context loop{1};
    NotedEvents events;
    NotedChanges changes;
    const auto first = store::make_redis_store(loop, server.tcp(), changes, events);
    const auto second = store::make_redis_store(loop, server.tcp(), changes, events);
    const auto end = std::chrono::steady_clock::now() + RedisScene::longest_wait;
    while (!events.noticed("store_not_replicated") && std::chrono::steady_clock::now() < end) {
        loop.run_one_for(milliseconds{5});
    }
    loop.run_for(milliseconds{50});
    CHECK(std::count_if(events.notices.begin(), events.notices.end(),
                        [](const auto& notice) { return notice.starts_with("store_not_replicated"); }) == 1);
}

TEST_CASE("a server that was emptied is noticed at the owner's next word") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    scene.run_until([&] { return server.command({"EXISTS", "test:epoch"}) == "1"; });
    server.command({"FLUSHALL"});
    const auto began = std::chrono::steady_clock::now();
    CHECK(scene.apply(command(request, claim, Renew{})).value().verdict == CommandVerdict::rewritten);
    scene.run_until([&] { return !scene.events.losses.empty(); });
    CHECK(std::chrono::steady_clock::now() - began < seconds{3});
    CHECK(scene.events.losses.size() == 1);
    CHECK(scene.events.losses.front().find("epoch") != std::string::npos);
    scene.run_until([&] { return server.command({"EXISTS", "test:epoch"}) == "1"; });
}

TEST_CASE("a server that was restarted without its data has lost it once") {
    RedisServer server;
    RedisScene scene(server.tcp());
    scene.run_until([&] { return server.command({"EXISTS", "test:epoch"}) == "1"; });
    server.kill();
    server.start();
    scene.run_until([&] { return server.command({"EXISTS", "test:epoch"}) == "1"; });
    scene.run_until([&] { return !scene.events.losses.empty(); });
    CHECK(scene.events.losses.size() == 1);
    CHECK(scene.events.losses.front().find("epoch") != std::string::npos);
}

TEST_CASE("a server that was emptied is noticed also when nothing happens") {
    RedisServer server;
    RedisScene scene(server.tcp());
    scene.run_until([&] { return server.command({"EXISTS", "test:epoch"}) == "1"; });
    server.command({"FLUSHALL"});
    scene.run_until([&] { return !scene.events.losses.empty(); });
    CHECK(scene.events.losses.size() == 1);
}

}  // namespace onceward::contract
