#include "catch.hpp"
#include "rig.hpp"

/// What a later claim gets in each state (spec section 3), as the store decides it.

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::identity;

namespace {

/// Lets owner 10 execute body 1 of caller 1 on record 1 and end as `action` says.
Claim executed(Rig& rig, Action action) {
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    CHECK(rig.apply(command(request, claim, std::move(action))).verdict == CommandVerdict::applied);
    return claim;
}

}  // namespace

TEST_CASE("COMPLETED gives its answer to the same request of the same caller alone") {
    Rig rig;
    const auto first = executed(rig, Complete{test::response(201, "made")});
    const auto same = rig.meet(claim_request(1, 11), 3);
    CHECK(same.record.state == RecordState::completed);
    CHECK(same.record.operation_id == first.operation_id);
    REQUIRE(same.record.response);
    CHECK(same.record.response->status == 201);
    CHECK(same.record.response->head == test::response().head);
    CHECK(same.record.response->body == "made");
    CHECK(same.record.response->digest == test::response().digest);
    CHECK_FALSE(same.record.response->truncated);

    const auto other_body = rig.meet(claim_request(1, 12, identity(2)));
    CHECK(other_body.record.state == RecordState::completed);
    CHECK(other_body.relation == Relation::differs);
    CHECK_FALSE(other_body.record.response);

    const auto other_caller = rig.meet(claim_request(1, 13, identity(1, 2)));
    CHECK(other_caller.relation == Relation::same);
    CHECK_FALSE(other_caller.caller_same);
    CHECK_FALSE(other_caller.record.response);
}

TEST_CASE("another fingerprint configuration is told by the raw bytes") {
    Rig rig;
    executed(rig, Complete{test::response()});
    const auto same_bytes = rig.meet(claim_request(1, 11, identity(1, 1, 2)));
    CHECK(same_bytes.relation == Relation::same);
    CHECK(same_bytes.record.response);
    const auto other_bytes = rig.meet(claim_request(1, 12, identity(2, 1, 2)));
    CHECK(other_bytes.relation == Relation::changed);
    CHECK_FALSE(other_bytes.record.response);
}

TEST_CASE("FAILED not executed: whoever comes next executes") {
    Rig rig;
    const auto first = executed(rig, Fail{FailureKind::not_executed, "refused"});
    SECTION("the same request under the same operation id") {
        const auto second = rig.win(claim_request(1, 11), 1);
        CHECK(second.attempt.value == 2);
        CHECK(second.operation_id == first.operation_id);
        CHECK(second.fence > first.fence);
        CHECK_FALSE(second.may);
    }
    SECTION("the same bytes under another fingerprint configuration under the same operation id") {
        CHECK(rig.win(claim_request(1, 11, identity(1, 1, 2))).operation_id == first.operation_id);
    }
    SECTION("another caller under the same operation id, and the record is the new caller's") {
        CHECK(rig.win(claim_request(1, 11, identity(1, 2))).operation_id == first.operation_id);
        CHECK_FALSE(rig.meet(claim_request(1, 12)).caller_same);
    }
    SECTION("another request under a new operation id, and the record is the new request's") {
        const auto request = claim_request(1, 11, identity(2));
        const auto second = rig.win(request, 2);
        CHECK(second.attempt.value == 2);
        CHECK(second.operation_id == request.operation_id);
        CHECK(second.fence > first.fence);
        CHECK(rig.meet(claim_request(1, 12, identity(2))).relation == Relation::same);
        CHECK(rig.meet(claim_request(1, 13, identity(1))).relation == Relation::differs);
    }
    SECTION("other bytes under another fingerprint configuration under a new operation id") {
        const auto request = claim_request(1, 11, identity(2, 1, 2));
        CHECK(rig.win(request).operation_id == request.operation_id);
    }
}

TEST_CASE("FAILED answered: only the same request executes again") {
    Rig rig;
    const auto first = executed(rig, Fail{FailureKind::answered, "status:500"});
    SECTION("the same request under the same operation id") {
        const auto second = rig.win(claim_request(1, 11), 3);
        CHECK(second.attempt.value == 2);
        CHECK(second.operation_id == first.operation_id);
        CHECK(second.fence > first.fence);
    }
    SECTION("also of another caller") {
        const auto second = rig.win(claim_request(1, 11, identity(1, 2)));
        CHECK(second.attempt.value == 2);
        CHECK(second.operation_id == first.operation_id);
    }
    SECTION("another request is refused") {
        const auto existing = rig.meet(claim_request(1, 11, identity(2)));
        CHECK(existing.record.state == RecordState::failed);
        CHECK(existing.record.failure == FailureKind::answered);
        CHECK(existing.record.evidence == "status:500");
        CHECK(existing.relation == Relation::differs);
    }
    SECTION("one that can't be told to be the same is refused") {
        CHECK(rig.meet(claim_request(1, 11, identity(2, 1, 2))).relation == Relation::changed);
    }
}

TEST_CASE("UNKNOWN is held") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    const auto existing = rig.meet(claim_request(1, 11), 2);
    CHECK(existing.record.state == RecordState::unknown);
    CHECK(existing.record.evidence == "reset");
    CHECK(existing.record.owner == first.owner);
    CHECK_FALSE(existing.record.may);
}

TEST_CASE("UNKNOWN is taken over under reforward by the same request of the same caller") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    auto request = claim_request(1, 11);
    request.on_unknown = UnknownPolicy::reforward;
    SECTION("as the next attempt of the same operation, which may already have run") {
        const auto second = rig.win(request, 1);
        CHECK(second.attempt.value == 2);
        CHECK(second.operation_id == first.operation_id);
        CHECK(second.fence > first.fence);
        CHECK(second.may);
    }
    SECTION("not for another request") {
        request.identity = identity(2);
        CHECK(rig.meet(request).relation == Relation::differs);
    }
    SECTION("not for another caller") {
        request.identity = identity(1, 2);
        CHECK_FALSE(rig.meet(request).caller_same);
    }
}

TEST_CASE("a failure after an attempt that may have run is UNKNOWN") {
    Rig rig;
    executed(rig, MarkUnknown{"reset"});
    auto request = claim_request(1, 11);
    request.on_unknown = UnknownPolicy::reforward;
    const auto second = rig.win(request);
    const auto reply = rig.apply(command(request, second, Fail{FailureKind::not_executed, "refused"}), 2);
    CHECK(reply.verdict == CommandVerdict::applied);
    CHECK(reply.state == RecordState::unknown);
    CHECK(reply.may);
    const auto existing = rig.meet(claim_request(1, 12));
    CHECK(existing.record.state == RecordState::unknown);
    CHECK(existing.record.evidence == "refused");
    CHECK(existing.record.may);
}

}  // namespace onceward::contract
