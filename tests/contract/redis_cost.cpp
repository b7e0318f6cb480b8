#include "catch.hpp"
#include "net/spawn.hpp"
#include "redis_scene.hpp"

#include <cstdlib>
#include <new>

namespace {

std::size_t allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

constexpr std::uint64_t at_once = 64;

std::int64_t stat(const RedisServer& server, const std::string& section, const std::string& name) {
    const auto info = server.command({"INFO", section});
    const auto at = info.find(name);
    return at == std::string::npos ? 0 : std::stoll(info.substr(at + name.size()));
}

std::int64_t scripts_run(const RedisServer& server) {
    return stat(server, "commandstats", "cmdstat_evalsha:calls=");
}

Task<> claim_one(store::Store& store, ClaimRequest request, std::uint64_t& ended) {
    const auto reply = co_await store.claim(request, std::chrono::steady_clock::now() + seconds{5});
    if (reply && std::holds_alternative<Claimed>(*reply)) {
        ++ended;
    }
}

Task<> claim_many(store::Store& store, ClaimRequest request, std::uint64_t count, std::uint64_t& allocated) {
    const auto deadline = Deadline::max();
    const auto before = allocations;
    for (std::uint64_t i = 1; i <= count; ++i) {
        request.id = test::record_id(1'000 + i);
        const auto reply = co_await store.claim(request, deadline);
        if (!reply || !std::holds_alternative<Claimed>(*reply)) {
            co_return;
        }
    }
    allocated = allocations - before;
}

}  // namespace

TEST_CASE("an execution costs two round trips, a duplicate one") {
    RedisServer server;
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    const auto before = scripts_run(server);
    scene.complete(claim_request(1, 10));
    CHECK(scripts_run(server) == before + 2);
    CHECK(std::get<Existing>(scene.claim(claim_request(1, 11)).value()).record.response);
    CHECK(scripts_run(server) == before + 3);
}

TEST_CASE("the commands of one turn of the loop leave together") {
    RedisServer server;
    boost::asio::io_context loop{1};
    NotedEvents events;
    NotedChanges changes;
    const auto store = store::make_redis_store(loop, server.tcp(), changes, events);
    std::uint64_t ended = 0;
    const auto claim_all = [&](std::uint64_t first) {
        ended = 0;
        for (std::uint64_t i = 0; i < at_once; ++i) {
            net::spawn(loop, claim_one(*store, claim_request(first + i, 10), ended));
        }
        const auto end = std::chrono::steady_clock::now() + RedisScene::longest_wait;
        while (ended < at_once && std::chrono::steady_clock::now() < end) {
            loop.run_one_for(milliseconds{5});
        }
    };
    claim_all(1'000);
    REQUIRE(ended == at_once);
    const auto reads = stat(server, "stats", "total_reads_processed:");
    claim_all(2'000);
    REQUIRE(ended == at_once);
    // Its own question for the statistics is one, and the server reads 16 KiB at a time.
    CHECK(stat(server, "stats", "total_reads_processed:") - reads <= 8);
}

TEST_CASE("a claim costs no more than one allocation once the loop is warm") {
    RedisServer server;
    RedisScene scene(server.tcp());
    scene.run_until([&] { return scene.events.noticed("store_not_replicated"); });
    scene.complete(claim_request(1, 10));
    constexpr std::uint64_t count = 1'000;
    std::uint64_t allocated = 10 * count;
    bool ended = false;
    net::spawn(scene.loop(), claim_many(scene.redis(), claim_request(1, 10), count, allocated),
               [&](std::exception_ptr) { ended = true; });
    scene.run_until([&] { return ended; });
    CHECK(allocated <= count);
}

}  // namespace onceward::contract
