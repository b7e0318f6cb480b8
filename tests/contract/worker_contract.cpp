#include "catch.hpp"
#include "rig.hpp"

#include <set>

namespace onceward::contract {

namespace {

store::WorkerLeaseRequest worker_request(Rig& rig, std::uint64_t owner, int wanted = -1) {
    store::WorkerLeaseRequest request;
    request.owner = test::owner_token(owner);
    request.wanted = wanted;
    request.clock = rig.now();
    return request;
}

store::WorkerLease lease(Rig& rig, const store::WorkerLeaseRequest& request, std::size_t loop = 0) {
    const auto result = rig.lease_worker(request, loop);
    if (!result) {
        FAIL("lease_worker: " << result.error().message());
    }
    return *result;
}

}  // namespace

TEST_CASE("each process gets a worker id of its own, and a horizon ahead of its clock") {
    Rig rig;
    std::set<int> ids;
    for (std::uint64_t owner = 1; owner <= 20; ++owner) {
        const auto request = worker_request(rig, owner);
        const auto held = lease(rig, request, owner % Rig::loop_count);
        CHECK(held.worker_id >= 0);
        CHECK(held.worker_id <= 1'023);
        CHECK(held.usable_from <= held.confirmed_until);
        CHECK(held.confirmed_until >= request.clock + request.horizon);
        ids.insert(held.worker_id);
    }
    CHECK(ids.size() == 20);
}

TEST_CASE("a renewal keeps the worker id and never takes a horizon back") {
    Rig rig;
    const auto first = lease(rig, worker_request(rig, 1));
    auto again = worker_request(rig, 1, first.worker_id);
    again.clock = again.clock - seconds{60};
    const auto with_clock_behind = lease(rig, again, 1);
    CHECK(with_clock_behind.worker_id == first.worker_id);
    CHECK(with_clock_behind.confirmed_until >= first.confirmed_until);
    again.clock = again.clock + seconds{120};
    const auto later = lease(rig, again);
    CHECK(later.worker_id == first.worker_id);
    CHECK(later.confirmed_until >= again.clock + again.horizon);
}

TEST_CASE("a wanted worker id is given, and refused while another holds it") {
    Rig rig;
    CHECK(lease(rig, worker_request(rig, 1, 7)).worker_id == 7);
    const auto refused = rig.lease_worker(worker_request(rig, 2, 7), 2);
    REQUIRE(refused.has_error());
    CHECK(refused.error() == store::StoreErrc::rejected);
    CHECK_FALSE(store::may_have_been_written(refused.error()));
    CHECK(lease(rig, worker_request(rig, 1, 7), 1).worker_id == 7);
}

TEST_CASE("a worker id whose lease is over goes to another, who starts after everything reserved before") {
    Rig rig;
    auto first = worker_request(rig, 1, 1'023);
    first.lease = milliseconds{200};
    first.clock = first.clock + seconds{30};
    const auto before = lease(rig, first);
    std::optional<store::WorkerLease> taken;
    REQUIRE(rig.eventually([&] {
        const auto result = rig.lease_worker(worker_request(rig, 2, 1'023), 3);
        if (result) {
            taken = *result;
        }
        return taken.has_value();
    }));
    CHECK(taken->worker_id == 1'023);
    CHECK(taken->usable_from > before.confirmed_until);
    CHECK(taken->confirmed_until > taken->usable_from);
}

}  // namespace onceward::contract
