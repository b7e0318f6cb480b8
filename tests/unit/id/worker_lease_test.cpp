#include "onceward/id/worker_lease.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"
#include "onceward/id/owner_token.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>
#include <vector>

using namespace onceward;
using namespace onceward::id;
using store::StoreErrc;
using store::WorkerLeaseRequest;
using namespace std::chrono_literals;

namespace {

/// Answers leases as scripted, notes what was asked, and calls `on_request` after each.
class ScriptedStore final : public store::Store {
public:
    Task<Result<guard::ClaimReply>> claim(const guard::ClaimRequest&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<guard::CommandReply>> apply(const guard::Command&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<guard::PieceVerdict>> append(const guard::ContentPiece&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<std::string>> read_piece(const store::PieceLookup&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<void>> discard(const store::PieceLookup&, Deadline) override { co_return make_error_code(StoreErrc::rejected); }
    Task<Result<guard::OperatorReply>> operate(const guard::OperatorCommand&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<std::optional<store::FoundRecord>>> find(const store::RecordLookup&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<store::RecordPage>> list(const store::RecordQuery&, Deadline) override {
        co_return make_error_code(StoreErrc::rejected);
    }
    Task<Result<void>> ping(Deadline) override { co_return make_error_code(StoreErrc::rejected); }
    Task<Result<store::WorkerLease>> lease_worker(const WorkerLeaseRequest& request, Deadline) override {
        requests.push_back(request);
        on_request();
        const auto reply = replies.front();
        if (replies.size() > 1) {
            replies.pop_front();
        }
        co_return reply;
    }
    Task<Result<std::string>> replace_rules(const std::string&, Deadline) override { co_return std::string{}; }
    [[nodiscard]] StoreTime now() const override { return {}; }
    [[nodiscard]] store::StoreInfo info() const override { return {"scripted", shared, true}; }
    void watch(const RecordId&) override {}
    void unwatch(const RecordId&) override {}

    bool shared = true;
    std::deque<Result<store::WorkerLease>> replies;
    std::vector<WorkerLeaseRequest> requests;
    std::function<void()> on_request = [] {};
};

struct Bench {
    /// Runs the keeper until it ends, ten seconds at most; tells whether it ended.
    bool run(const WorkerLeaseOptions& options) {
        WorkerLeaseKeeper keeper(loop, store, options, [this](const WorkerGrant& grant) { grants.push_back(grant); });
        bool ended = false;
        store.on_request = [&] {
            if (store.requests.size() == stop_after) {
                // From the loop, as an application would.
                boost::asio::post(loop, [&] { keeper.stop(); });
            }
        };
        const auto note_end = [&](const std::exception_ptr& failed) { ended = !failed; };
        net::spawn(loop, keeper.run(), note_end);
        loop.run_for(10s);
        return ended;
    }

    boost::asio::io_context loop;
    ScriptedStore store;
    std::vector<WorkerGrant> grants;
    std::size_t stop_after = 1;
};

StoreTime wall_clock() {
    return StoreTime{std::chrono::floor<microseconds>(std::chrono::system_clock::now().time_since_epoch())};
}

}  // namespace

TEST_CASE("a shared store's lease is granted, renewed, and let go at the end") {
    Bench bench;
    const auto now = wall_clock();
    const store::WorkerLease first{17, now, now + 3s};
    const store::WorkerLease second{17, now, now + 4s};
    bench.store.replies = {first, second};
    bench.stop_after = 2;
    const auto process = make_owner_token();
    REQUIRE(bench.run({{}, process, 500ms}));
    CHECK(bench.grants == std::vector<WorkerGrant>{{17, now, now + 3s}, {17, now, now + 4s}});
    REQUIRE(bench.store.requests.size() == 3);
    CHECK(bench.store.requests[0].wanted == -1);
    CHECK(bench.store.requests[1].wanted == 17);
    for (const auto& request : bench.store.requests) {
        CHECK(request.owner == process);
        CHECK(request.clock >= now);
        CHECK(request.clock <= wall_clock());
    }
    CHECK(bench.store.requests[0].horizon == 3s);
    CHECK(bench.store.requests[0].lease == 15s);
    CHECK(bench.store.requests[1].clock - bench.store.requests[0].clock >= 900ms);
    // The last one ends the lease: a successor may take the id now.
    CHECK(bench.store.requests[2].wanted == 17);
    CHECK(bench.store.requests[2].lease == 1ms);
}

TEST_CASE("until the store gives a lease nothing is granted, and it is asked again") {
    Bench bench;
    const auto now = wall_clock();
    bench.store.replies = {make_error_code(StoreErrc::unavailable), make_error_code(StoreErrc::timed_out),
                           store::WorkerLease{4, now, now + 3s}};
    bench.stop_after = 3;
    REQUIRE(bench.run({4, make_owner_token(), 500ms}));
    CHECK(bench.grants == std::vector<WorkerGrant>{{4, now, now + 3s}});
    CHECK(bench.store.requests.at(0).wanted == 4);
}

TEST_CASE("a keeper that never got a lease has none to let go") {
    Bench bench;
    bench.store.replies = {make_error_code(StoreErrc::unavailable)};
    REQUIRE(bench.run({{}, make_owner_token(), 500ms}));
    CHECK(bench.grants.empty());
    CHECK(bench.store.requests.size() == 1);
}

TEST_CASE("on a store that is not shared the worker id is drawn, once, for good, and the store is not asked") {
    std::vector<int> workers;
    for (int i = 0; i < 8; ++i) {
        Bench bench;
        bench.store.shared = false;
        const auto before = wall_clock();
        REQUIRE(bench.run({{}, make_owner_token(), 500ms}));
        REQUIRE(bench.grants.size() == 1);
        CHECK(bench.grants[0].worker >= 0);
        CHECK(bench.grants[0].worker < worker_count);
        CHECK(bench.grants[0].from >= before);
        CHECK(bench.grants[0].from <= wall_clock());
        CHECK(bench.grants[0].until == snowflake_end);
        CHECK(bench.store.requests.empty());
        workers.push_back(bench.grants[0].worker);
    }
    // 1 in 2^70 that all eight are one by chance.
    CHECK(std::adjacent_find(workers.begin(), workers.end(), std::not_equal_to<>()) != workers.end());
}

TEST_CASE("on a store that is not shared the configured worker id is taken") {
    Bench bench;
    bench.store.shared = false;
    REQUIRE(bench.run({1023, make_owner_token(), 500ms}));
    REQUIRE(bench.grants.size() == 1);
    CHECK(bench.grants[0].worker == 1023);
}
