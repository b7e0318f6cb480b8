#include "onceward/store/memory_store.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"
#include "record_builders.hpp"

#include <boost/asio/io_context.hpp>

namespace onceward::store {

namespace asio = boost::asio;
using test::claim_request;

namespace {

Task<void> claim_into(Store& store, const guard::ClaimRequest& request, Deadline deadline,
                      std::optional<Result<guard::ClaimReply>>& reply) {
    reply = co_await store.claim(request, deadline);
}

/// Runs the loop until the claim has its reply.
Result<guard::ClaimReply> claim(asio::io_context& loop, Store& store, const guard::ClaimRequest& request, Deadline deadline) {
    std::optional<Result<guard::ClaimReply>> reply;
    net::spawn(loop, claim_into(store, request, deadline, reply));
    loop.restart();
    while (!reply && loop.run_one_for(seconds{5}) > 0) {
    }
    REQUIRE(reply);
    return std::move(*reply);
}

Deadline soon() {
    return std::chrono::steady_clock::now() + seconds{5};
}

}  // namespace

TEST_CASE("a full memory store refuses new keys for good") {
    asio::io_context loop(1);
    MemoryBackend backend({{&loop, nullptr}}, 3'000);
    const auto store = make_memory_store(backend, 0);
    std::size_t claimed = 0;
    std::optional<error_code> refusal;
    for (std::uint64_t id = 1; id <= 20 && !refusal; ++id) {
        const auto reply = claim(loop, *store, claim_request(id, 100 + id), soon());
        if (reply) {
            ++claimed;
        } else {
            refusal = reply.error();
        }
    }
    CHECK(claimed >= 1);
    REQUIRE(refusal);
    CHECK(*refusal == StoreErrc::rejected);
}

TEST_CASE("a call whose time is over is not carried out") {
    asio::io_context loop(1);
    MemoryBackend backend({{&loop, nullptr}});
    const auto store = make_memory_store(backend, 0);
    const auto late = claim(loop, *store, claim_request(1, 10), std::chrono::steady_clock::now() - seconds{1});
    REQUIRE(late.has_error());
    CHECK(late.error() == StoreErrc::timed_out);
    const auto next = claim(loop, *store, claim_request(1, 11), soon());
    REQUIRE(next.has_value());
    CHECK(std::holds_alternative<guard::Claimed>(*next));
}

TEST_CASE("the memory store says what it is") {
    asio::io_context loop(1);
    MemoryBackend backend({{&loop, nullptr}});
    const auto info = make_memory_store(backend, 0)->info();
    CHECK(info.kind == "memory");
    CHECK_FALSE(info.shared);
    CHECK_FALSE(info.survives_crash);
}

}  // namespace onceward::store
