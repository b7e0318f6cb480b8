#include "catch.hpp"
#include "rig.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

const Fail refused{FailureKind::not_executed, "refused"};

/// Long enough to be seen alive on a loaded machine, short enough to wait for.
constexpr milliseconds brief{400};
/// Between two clocks of one machine, and between a reply and the store's estimate.
constexpr milliseconds slack{50};

ClaimRequest brief_request(std::uint64_t owner) {
    auto request = claim_request(1, owner);
    request.lifetimes = {brief, brief, brief, brief};
    return request;
}

/// Claims under new tokens until the record reads as `state`; what was met then.
Existing wait_for(Rig& rig, RecordState state, std::uint64_t first_owner = 1'000) {
    std::optional<Existing> met;
    REQUIRE(rig.eventually([&] {
        const auto reply = rig.claim(brief_request(first_owner++), 1);
        REQUIRE(std::holds_alternative<Existing>(reply));
        met = std::get<Existing>(reply);
        return met->record.state == state;
    }));
    return *met;
}

/// Claims until the key is free again; the claim that won.
Claim wait_until_free(Rig& rig, std::uint64_t first_owner) {
    std::optional<Claim> won;
    REQUIRE(rig.eventually([&] {
        const auto reply = rig.claim(brief_request(first_owner++), 1);
        if (const auto* claimed = std::get_if<Claimed>(&reply)) {
            won = claimed->claim;
        }
        return won.has_value();
    }));
    return *won;
}

}  // namespace

TEST_CASE("an expired lease reads as UNKNOWN, and not before it has expired") {
    Rig rig;
    const auto request = brief_request(10);
    const auto started = rig.now();
    const auto claim = rig.win(request);
    const auto existing = wait_for(rig, RecordState::unknown);
    CHECK(existing.now >= started + brief - slack);
    CHECK(existing.record.evidence == "lease");
    CHECK(existing.record.owner == claim.owner);
    SECTION("its owner may still complete it") {
        CHECK(rig.apply(command(request, claim, Complete{test::response()})).state == RecordState::completed);
    }
    SECTION("its owner can't renew it, once somebody was told") {
        CHECK(rig.apply(command(request, claim, Renew{})).verdict == CommandVerdict::lapsed);
    }
    SECTION("reforward takes it over") {
        auto next = claim_request(1, 11);
        next.on_unknown = UnknownPolicy::reforward;
        const auto second = rig.win(next);
        CHECK(second.attempt.value == 2);
        CHECK(second.may);
        CHECK(rig.apply(command(request, claim, Complete{test::response()})).verdict == CommandVerdict::fenced);
    }
}

TEST_CASE("reforward takes an expired lease over at once") {
    Rig rig;
    const auto claim = rig.win(brief_request(10));
    rig.wait_past(rig.now() + brief + slack);
    auto next = claim_request(1, 11);
    next.on_unknown = UnknownPolicy::reforward;
    next.lifetimes.unknown_retention = std::chrono::hours{1};
    const auto second = rig.win(next);
    CHECK(second.may);
    CHECK(second.operation_id == claim.operation_id);
    CHECK(second.fence > claim.fence);
}

TEST_CASE("a renewal revives an expired lease that nobody noticed") {
    Rig rig;
    auto request = claim_request(1, 10);
    request.lifetimes.lease = brief;
    const auto claim = rig.win(request);
    rig.wait_past(rig.now() + brief + slack);
    request.lifetimes.lease = seconds{15};
    CHECK(rig.apply(command(request, claim, Renew{})).verdict == CommandVerdict::applied);
    const auto existing = rig.meet(claim_request(1, 11));
    CHECK(existing.record.state == RecordState::processing);
    CHECK(existing.record.evidence.empty());
}

TEST_CASE("a claim sent again after its lease is over is late") {
    Rig rig;
    const auto request = brief_request(10);
    rig.win(request);
    rig.wait_past(rig.now() + brief + slack);
    CHECK(std::holds_alternative<Late>(rig.claim(request)));
}

TEST_CASE("an execution that beats outlives every retention") {
    Rig rig;
    const auto request = brief_request(10);
    const auto claim = rig.win(request);
    const auto end = rig.now() + 4 * brief;
    bool revived_in_time = true;
    while (rig.now() < end) {
        const auto verdict = rig.apply(command(request, claim, Renew{})).verdict;
        revived_in_time = revived_in_time && verdict == CommandVerdict::applied;
        rig.pause();
    }
    CHECK(revived_in_time);
    CHECK(rig.meet(claim_request(1, 11)).record.fence == claim.fence);
}

TEST_CASE("COMPLETED reads as EXPIRED after retention, and is absent after the tombstone") {
    Rig rig;
    const auto request = brief_request(10);
    const auto claim = rig.win(request);
    const auto started = rig.now();
    rig.apply(command(request, claim, Complete{test::response()}));
    const auto expired = wait_for(rig, RecordState::expired);
    CHECK(expired.now >= started + brief - slack);
    CHECK(expired.record.operation_id == claim.operation_id);
    CHECK(expired.relation == Relation::same);
    CHECK_FALSE(expired.record.response);
    CHECK(rig.apply(command(request, claim, Complete{test::response()})).verdict == CommandVerdict::fenced);
    const auto next = wait_until_free(rig, 5'000);
    CHECK(rig.now() >= started + 2 * brief - slack);
    CHECK(next.attempt.value == 1);
    CHECK(next.operation_id != claim.operation_id);
    CHECK(next.fence > claim.fence);
}

TEST_CASE("EXPIRED still tells a different request") {
    Rig rig;
    auto request = brief_request(10);
    request.lifetimes.tombstone = std::chrono::hours{1};
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, Complete{test::response()}));
    wait_for(rig, RecordState::expired);
    CHECK(rig.meet(claim_request(1, 11, test::identity(2))).relation == Relation::differs);
    CHECK_FALSE(rig.meet(claim_request(1, 12, test::identity(1, 2))).caller_same);
}

TEST_CASE("FAILED is absent after retention") {
    Rig rig;
    auto request = brief_request(10);
    request.lifetimes.tombstone = std::chrono::hours{1};
    const auto claim = rig.win(request);
    const auto started = rig.now();
    rig.apply(command(request, claim, Fail{FailureKind::answered, "status:500"}));
    rig.wait_past(started + brief + slack);
    // Another body would be refused as long as the failure is remembered.
    const auto next = rig.win(claim_request(1, 11, test::identity(2)));
    CHECK(next.attempt.value == 1);
    CHECK(next.fence > claim.fence);
}

TEST_CASE("UNKNOWN reads as EXPIRED after its retention, and is absent after the tombstone") {
    Rig rig;
    const auto request = brief_request(10);
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, MarkUnknown{"reset"}));
    const auto started = rig.now();
    const auto expired = wait_for(rig, RecordState::expired);
    CHECK(expired.now >= started + brief - slack);
    CHECK(rig.apply(command(request, claim, Complete{test::response()})).verdict == CommandVerdict::fenced);
    CHECK(wait_until_free(rig, 5'000).attempt.value == 1);
}

TEST_CASE("an execution that nobody asked for reads as EXPIRED before it is absent") {
    Rig rig;
    const auto claim = rig.win(brief_request(10));
    const auto started = rig.now();
    SECTION("EXPIRED after the lease and the retention of UNKNOWN") {
        auto look = claim_request(1, 11);
        look.lifetimes = {brief, brief, std::chrono::hours{1}, brief};
        rig.wait_past(started + 2 * brief + slack);
        const auto reply = rig.claim(look);
        // A machine that was away for the tombstone as well finds the key free.
        if (rig.now() < started + 3 * brief - slack) {
            REQUIRE(std::holds_alternative<Existing>(reply));
            CHECK(std::get<Existing>(reply).record.state == RecordState::expired);
        }
    }
    SECTION("absent after the tombstone") {
        rig.wait_past(started + 3 * brief + slack);
        const auto next = rig.win(brief_request(11));
        CHECK(next.attempt.value == 1);
        CHECK(next.fence > claim.fence);
    }
}

}  // namespace onceward::contract
