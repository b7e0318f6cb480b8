#include "catch.hpp"
#include "rig.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::identity;

TEST_CASE("a first claim executes as attempt 1 under its own operation id") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    CHECK(claim.owner == request.owner);
    CHECK(claim.attempt.value == 1);
    CHECK(claim.operation_id == request.operation_id);
    CHECK(claim.fence.value > 0);
    CHECK_FALSE(claim.may);
}

TEST_CASE("a second claim meets PROCESSING and the lease of the first") {
    Rig rig;
    const auto first = rig.win(claim_request(1, 10), 0);
    const auto existing = rig.meet(claim_request(1, 11), 3);
    CHECK(existing.record.state == RecordState::processing);
    CHECK(existing.record.owner == first.owner);
    CHECK(existing.record.fence == first.fence);
    CHECK(existing.record.operation_id == first.operation_id);
    CHECK(existing.record.lease_until > existing.now);
    CHECK(existing.record.lease_until - existing.now <= Lifetimes{}.lease);
    CHECK(existing.relation == Relation::same);
    CHECK(existing.caller_same);
}

TEST_CASE("a claim sent again recognises itself") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto first = rig.win(request, 0);
    const auto again = rig.claim(request, 2);
    REQUIRE(std::holds_alternative<Claimed>(again));
    const auto& claimed = std::get<Claimed>(again);
    CHECK(claimed.claim.fence == first.fence);
    CHECK(claimed.claim.attempt == first.attempt);
    CHECK(claimed.claim.operation_id == first.operation_id);
    CHECK(claimed.lease <= request.lifetimes.lease);
    CHECK(claimed.lease > request.lifetimes.lease - seconds{10});
}

TEST_CASE("a claim that the store meets after its deadline is late and leaves nothing") {
    Rig rig;
    auto request = claim_request(1, 10);
    request.deadline = rig.now() - seconds{1};
    CHECK(std::holds_alternative<Late>(rig.claim(request)));
    const auto next = rig.win(claim_request(1, 11));
    CHECK(next.attempt.value == 1);
}

}  // namespace onceward::contract
