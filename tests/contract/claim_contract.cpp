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
    CHECK_FALSE(existing.record.response);
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
    CHECK(rig.win(claim_request(1, 11)).attempt.value == 1);
}

TEST_CASE("a claim that already won is late when it is sent again after its deadline") {
    Rig rig;
    auto request = claim_request(1, 10);
    request.deadline = rig.now() + milliseconds{200};
    const auto reply = rig.claim(request);
    // A slow machine may have missed the deadline at once; then there is nothing to send again.
    if (std::holds_alternative<Claimed>(reply)) {
        rig.wait_past(request.deadline + milliseconds{20});
        CHECK(std::holds_alternative<Late>(rig.claim(request)));
        CHECK(rig.meet(claim_request(1, 11)).record.state == RecordState::processing);
    }
}

TEST_CASE("a claim under a token that was let go is late") {
    Rig rig;
    const auto first = claim_request(1, 10);
    const auto claim = rig.win(first);
    rig.apply(command(first, claim, Fail{FailureKind::not_executed, "refused"}));
    SECTION("while the record is free") {
        CHECK(std::holds_alternative<Late>(rig.claim(first, 1)));
        CHECK(rig.win(claim_request(1, 11)).attempt.value == 2);
    }
    SECTION("while the next owner holds it") {
        const auto second = rig.win(claim_request(1, 11), 1);
        CHECK(std::holds_alternative<Late>(rig.claim(first)));
        CHECK(rig.meet(claim_request(1, 12)).record.owner == second.owner);
    }
}

TEST_CASE("a claim under the token of a completed record is late") {
    Rig rig;
    const auto request = claim_request(1, 10);
    rig.apply(command(request, rig.win(request), Complete{test::response()}));
    CHECK(std::holds_alternative<Late>(rig.claim(request)));
}

TEST_CASE("a record tells who it was made for") {
    Rig rig;
    auto request = claim_request(1, 10);
    request.route = "route.with-every_Kind.of-character-64-bytes-long-0123456789abcdef";
    request.route.resize(64);
    request.identity.parts =
        "method=0123456789abcdef,header:x-a=" + std::string(4'000, '~') + ",body=!\"#$%&'()*+-./:;<>?@[\\]^_`{|} ";
    rig.win(request, 0);
    auto next = request;
    next.owner = test::owner_token(11);
    const auto existing = rig.meet(next, 2);
    CHECK(existing.record.route == request.route);
    CHECK(existing.record.identity.version == request.identity.version);
    CHECK(existing.record.identity.fingerprint == request.identity.fingerprint);
    CHECK(existing.record.identity.raw == request.identity.raw);
    CHECK(existing.record.identity.caller == request.identity.caller);
    CHECK(existing.record.identity.parts == request.identity.parts);
}

TEST_CASE("64-bit numbers keep every digit") {
    Rig rig;
    for (const std::int64_t number : {9'007'199'254'740'993, 4'611'686'018'427'387'903, 9'223'372'036'854'775'807}) {
        const auto id = rig.fresh();
        auto request = claim_request(id, 10);
        request.operation_id = {number};
        const auto claim = rig.win(request, 0);
        CHECK(claim.operation_id.value == number);
        const auto existing = rig.meet(claim_request(id, 11), 1);
        CHECK(existing.record.operation_id.value == number);
        CHECK(existing.record.fence.value == claim.fence.value);
    }
}

TEST_CASE("a fence is the store's clock in microseconds, or the fence before plus one") {
    Rig rig;
    std::int64_t before = 0;
    for (std::uint64_t owner = 10; owner < 20; ++owner) {
        const auto request = claim_request(1, owner);
        const auto claim = rig.win(request, owner % Rig::loop_count);
        CHECK(claim.fence.value > before);
        CHECK(claim.fence.value >= to_micros(rig.now()) - 60'000'000);
        CHECK(claim.attempt.value == owner - 9);
        before = claim.fence.value;
        rig.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"}));
    }
}

TEST_CASE("records of different ids know nothing of each other") {
    Rig rig;
    for (std::uint64_t id = 1; id <= 40; ++id) {
        CHECK(rig.win(claim_request(id, 100 + id), id % Rig::loop_count).attempt.value == 1);
    }
    for (std::uint64_t id = 1; id <= 40; ++id) {
        CHECK(rig.meet(claim_request(id, 200 + id)).record.owner == test::owner_token(100 + id));
    }
}

}  // namespace onceward::contract
