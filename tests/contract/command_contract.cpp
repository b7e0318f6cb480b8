#include "catch.hpp"
#include "rig.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::identity;

namespace {

const Fail refused{FailureKind::not_executed, "refused"};

void check(const CommandReply& reply, CommandVerdict verdict, RecordState state) {
    CHECK(static_cast<int>(reply.verdict) == static_cast<int>(verdict));
    CHECK(to_text(reply.state) == to_text(state));
}

}  // namespace

TEST_CASE("each command of the owner is applied, and applied again when it is sent again") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    struct Row {
        Action action;
        RecordState state;
    };
    const auto row = GENERATE(values<Row>({{Renew{}, RecordState::processing},
                                           {Complete{test::response()}, RecordState::completed},
                                           {refused, RecordState::failed},
                                           {Fail{FailureKind::answered, "status:500"}, RecordState::failed},
                                           {MarkUnknown{"cut"}, RecordState::unknown}}));
    check(rig.apply(command(request, claim, row.action), 1), CommandVerdict::applied, row.state);
    check(rig.apply(command(request, claim, row.action), 2), CommandVerdict::applied, row.state);
}

TEST_CASE("a renewal moves the end of the lease") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    const auto before = rig.meet(claim_request(1, 11)).record.lease_until;
    rig.wait_past(rig.now() + milliseconds{5});
    rig.apply(command(request, claim, Renew{}));
    CHECK(rig.meet(claim_request(1, 12)).record.lease_until > before);
}

TEST_CASE("a stale owner can do nothing") {
    Rig rig;
    const auto stale = claim_request(1, 10);
    const auto stale_claim = rig.win(stale);
    rig.apply(command(stale, stale_claim, refused));
    const auto next = claim_request(1, 11);
    const auto claim = rig.win(next);
    const auto action = GENERATE(values<Action>({Renew{}, Complete{test::response(200, "stale")}, refused, MarkUnknown{"cut"}}));
    CHECK(rig.apply(command(stale, stale_claim, action), 1).verdict == CommandVerdict::fenced);
    const auto existing = rig.meet(claim_request(1, 12));
    CHECK(existing.record.state == RecordState::processing);
    CHECK(existing.record.fence == claim.fence);
}

TEST_CASE("COMPLETED is final") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, Complete{test::response(201, "first", 1)}));
    const auto action = GENERATE(values<Action>({Renew{}, Complete{test::response(201, "second", 2)},
                                                 Complete{test::response(202, "first", 1)}, refused, MarkUnknown{"cut"}}));
    CHECK(rig.apply(command(request, claim, action)).verdict == CommandVerdict::fenced);
    const auto existing = rig.meet(claim_request(1, 11));
    REQUIRE(existing.record.response);
    CHECK(existing.record.response->status == 201);
    CHECK(existing.record.response->body == "first");
}

TEST_CASE("FAILED is not turned into anything by the owner that let it go") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, refused));
    const auto action = GENERATE(values<Action>({Renew{}, Complete{test::response()}, MarkUnknown{"cut"}}));
    CHECK(rig.apply(command(request, claim, action)).verdict == CommandVerdict::fenced);
    CHECK(rig.win(claim_request(1, 11)).attempt.value == 2);
}

TEST_CASE("the owner closes its own UNKNOWN") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, MarkUnknown{"deadline"}));
    SECTION("with the late answer") {
        check(rig.apply(command(request, claim, Complete{test::response()}), 1), CommandVerdict::applied, RecordState::completed);
        const auto existing = rig.meet(claim_request(1, 11));
        REQUIRE(existing.record.response);
        CHECK(existing.record.response->body == "made");
        CHECK(existing.record.evidence.empty());
    }
    SECTION("with proof that nothing ran") {
        check(rig.apply(command(request, claim, refused), 1), CommandVerdict::applied, RecordState::failed);
        CHECK(rig.win(claim_request(1, 11)).attempt.value == 2);
    }
    SECTION("but a renewal does not bring it back") {
        check(rig.apply(command(request, claim, Renew{})), CommandVerdict::lapsed, RecordState::unknown);
    }
    SECTION("and can name another reason") {
        check(rig.apply(command(request, claim, MarkUnknown{"shutdown"})), CommandVerdict::applied, RecordState::unknown);
        CHECK(rig.meet(claim_request(1, 11)).record.evidence == "shutdown");
    }
}

TEST_CASE("an owner writes its record again when the store has lost it") {
    Rig rig;
    const auto request = claim_request(1, 10);
    // A claim on a record that is not there is what is left after a loss.
    const Claim claim{request.owner, {to_micros(rig.now()) - 1}, {3}, {4'242}, false};
    SECTION("by a renewal") {
        check(rig.apply(command(request, claim, Renew{})), CommandVerdict::rewritten, RecordState::processing);
        check(rig.apply(command(request, claim, Renew{}), 1), CommandVerdict::applied, RecordState::processing);
        const auto existing = rig.meet(claim_request(1, 11), 2);
        CHECK(existing.record.state == RecordState::processing);
        CHECK(existing.record.owner == claim.owner);
        CHECK(existing.record.fence == claim.fence);
        CHECK(existing.record.attempt == claim.attempt);
        CHECK(existing.record.operation_id == claim.operation_id);
        CHECK(existing.record.route == request.route);
        CHECK(existing.relation == Relation::same);
        CHECK(existing.caller_same);
    }
    SECTION("by its answer") {
        check(rig.apply(command(request, claim, Complete{test::response()})), CommandVerdict::rewritten, RecordState::completed);
        const auto existing = rig.meet(claim_request(1, 11), 2);
        CHECK(existing.record.operation_id == claim.operation_id);
        REQUIRE(existing.record.response);
        CHECK(existing.record.response->body == "made");
    }
    SECTION("by an unknown outcome") {
        check(rig.apply(command(request, claim, MarkUnknown{"reset"})), CommandVerdict::rewritten, RecordState::unknown);
        CHECK(rig.meet(claim_request(1, 11)).record.evidence == "reset");
    }
    SECTION("by a failure that the service answered: the next attempt carries the same operation id") {
        check(rig.apply(command(request, claim, Fail{FailureKind::answered, "status:500"})), CommandVerdict::rewritten,
              RecordState::failed);
        const auto next = rig.win(claim_request(1, 11), 2);
        CHECK(next.operation_id == claim.operation_id);
        CHECK(next.attempt.value == 4);
    }
    SECTION("a failure before anything was executed leaves the key free") {
        check(rig.apply(command(request, claim, refused)), CommandVerdict::applied, RecordState::failed);
        CHECK(rig.win(claim_request(1, 11)).attempt.value == 1);
    }
    SECTION("but not when an attempt before may have run") {
        auto after_unknown = claim;
        after_unknown.may = true;
        check(rig.apply(command(request, after_unknown, refused)), CommandVerdict::rewritten, RecordState::unknown);
        const auto existing = rig.meet(claim_request(1, 11));
        CHECK(existing.record.state == RecordState::unknown);
        CHECK(existing.record.may);
    }
    SECTION("never over another owner") {
        const auto other = rig.win(claim_request(1, 11));
        const auto action = GENERATE(values<Action>({Renew{}, Complete{test::response()}, MarkUnknown{"cut"}, refused}));
        CHECK(rig.apply(command(request, claim, action)).verdict == CommandVerdict::fenced);
        CHECK(rig.meet(claim_request(1, 12)).record.owner == other.owner);
    }
}

TEST_CASE("a store that was emptied gets its running execution back") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    if (rig.kind().wipe()) {
        check(rig.apply(command(request, claim, Renew{})), CommandVerdict::rewritten, RecordState::processing);
        CHECK(rig.meet(claim_request(1, 11), 3).record.fence == claim.fence);
        check(rig.apply(command(request, claim, Complete{test::response()})), CommandVerdict::applied, RecordState::completed);
    }
}

TEST_CASE("a bypassed execution leaves UNKNOWN where nothing or a failure was") {
    Rig rig;
    auto bypassing = claim_request(1, 20, identity(2));
    const Claim unclaimed{bypassing.owner, {}, {}, bypassing.operation_id, false};
    const auto bypass = command(bypassing, unclaimed, NoteBypassed{});
    SECTION("on an absent record") {
        check(rig.apply(bypass), CommandVerdict::applied, RecordState::unknown);
        const auto existing = rig.meet(claim_request(1, 11, identity(2)), 1);
        CHECK(existing.record.state == RecordState::unknown);
        CHECK(existing.record.evidence == "bypassed");
        CHECK(existing.record.attempt.value == 1);
        CHECK(existing.record.operation_id == bypassing.operation_id);
        CHECK(existing.relation == Relation::same);
        CHECK(existing.record.owner == OwnerToken{});
        // The release of the claim that had failed before does not free it.
        CHECK(rig.apply(command(bypassing, unclaimed, refused)).verdict == CommandVerdict::fenced);
    }
    SECTION("on a FAILED record") {
        const auto request = claim_request(1, 10);
        const auto claim = rig.win(request);
        rig.apply(command(request, claim, refused));
        check(rig.apply(bypass), CommandVerdict::applied, RecordState::unknown);
        const auto existing = rig.meet(claim_request(1, 11, identity(2)));
        CHECK(existing.record.state == RecordState::unknown);
        CHECK(existing.record.attempt.value == 2);
        CHECK(existing.record.fence > claim.fence);
        CHECK(existing.record.operation_id == bypassing.operation_id);
    }
    SECTION("nowhere else") {
        const auto request = claim_request(1, 10);
        const auto claim = rig.win(request);
        check(rig.apply(bypass), CommandVerdict::applied, RecordState::processing);
        rig.apply(command(request, claim, Complete{test::response()}));
        check(rig.apply(bypass), CommandVerdict::applied, RecordState::completed);
        CHECK(rig.meet(claim_request(1, 11)).record.response);
    }
}

}  // namespace onceward::contract
