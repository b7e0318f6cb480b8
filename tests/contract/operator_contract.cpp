#include "catch.hpp"
#include "rig.hpp"

/// What an operator's word does (spec section 8), as the store carries it out.

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::identity;
using test::operator_command;

namespace {

const Fail refused{FailureKind::not_executed, "refused"};

void check(const OperatorReply& reply, OperatorVerdict verdict) {
    CHECK(to_text(reply.verdict) == to_text(verdict));
}

/// Owner 10 executes record 1 and ends as `action` says.
Claim executed(Rig& rig, Action action) {
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, std::move(action)));
    return claim;
}

const auto by_hand = test::response(202, "by hand", 9);

}  // namespace

TEST_CASE("a released UNKNOWN record executes again as the next attempt of its operation") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    const auto reply = rig.operate(operator_command(claim_request(1, 10), first.fence, Release{}), 3);
    check(reply, OperatorVerdict::applied);
    REQUIRE(reply.before);
    CHECK(to_text(reply.before->state) == "UNKNOWN");
    CHECK(reply.before->evidence == "reset");
    CHECK(reply.before->owner == first.owner);
    REQUIRE(reply.after);
    CHECK(to_text(reply.after->state) == "FAILED");
    CHECK(reply.after->evidence == "released by operator");
    CHECK(reply.after->fence == first.fence);
    CHECK(reply.after->may);
    CHECK(rig.meet(claim_request(1, 12, identity(2)), 1).relation == Relation::differs);
    const auto next = rig.win(claim_request(1, 11), 1);
    CHECK(next.attempt.value == 2);
    CHECK(next.operation_id == first.operation_id);
    CHECK(next.fence > first.fence);
    CHECK(next.may);
    CHECK(to_text(rig.apply(command(claim_request(1, 11), next, refused)).state) == "UNKNOWN");
}

TEST_CASE("a live lease and an answer give way to force alone") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    const bool completed = GENERATE(false, true);
    if (completed) {
        rig.apply(command(request, claim, Complete{test::response()}));
    }
    const auto action = GENERATE(values<OperatorAction>({Release{}, ResolveCompleted{by_hand}, ResolveFailed{}}));
    const auto refused_reply = rig.operate(operator_command(request, claim.fence, action), 1);
    check(refused_reply, OperatorVerdict::needs_force);
    CHECK(to_text(refused_reply.before->state) == (completed ? "COMPLETED" : "PROCESSING"));
    CHECK_FALSE(refused_reply.after);
    CHECK(to_text(rig.find(request, 2)->state) == (completed ? "COMPLETED" : "PROCESSING"));
    check(rig.operate(operator_command(request, claim.fence, action, Force::yes), 2), OperatorVerdict::applied);
    if (std::holds_alternative<ResolveCompleted>(action)) {
        CHECK(rig.meet(claim_request(1, 11)).record.response->body == "by hand");
    } else {
        CHECK(rig.win(claim_request(1, 11), 1).may == std::holds_alternative<Release>(action));
    }
}

TEST_CASE("the same answer once more is done already, and another one, be it in a header, is another answer") {
    Rig rig;
    const auto claim = executed(rig, MarkUnknown{"reset"});
    const auto request = claim_request(1, 10);
    const auto resolve = [&](const RecordedResponse& answer, Force force) {
        return rig.operate(operator_command(request, claim.fence, ResolveCompleted{answer}, force), 2);
    };
    check(resolve(by_hand, Force::no), OperatorVerdict::applied);
    check(resolve(by_hand, Force::no), OperatorVerdict::applied);
    auto other = by_hand;
    SECTION("a header") {
        other.head += "X-Other: header\r\n";
    }
    SECTION("the body") {
        other = test::response(202, "by another hand", 10);
    }
    check(resolve(other, Force::no), OperatorVerdict::needs_force);
    check(resolve(other, Force::yes), OperatorVerdict::applied);
    const auto met = rig.meet(claim_request(1, 11)).record.response;
    CHECK(met->head == other.head);
    CHECK(met->body == other.body);
}

TEST_CASE("an owner that still runs is fenced by an operator's word") {
    Rig rig;
    const auto request = claim_request(1, 10);
    const auto claim = rig.win(request);
    const auto action = GENERATE(values<OperatorAction>({Release{}, ResolveCompleted{by_hand}, ResolveFailed{}}));
    rig.operate(operator_command(request, claim.fence, action, Force::yes), 1);
    for (const auto& late : {Action{Renew{}}, Action{Complete{test::response()}}, Action{refused}, Action{MarkUnknown{"cut"}}}) {
        CHECK(rig.apply(command(request, claim, late)).verdict == CommandVerdict::fenced);
    }
    CHECK(std::holds_alternative<Late>(rig.claim(request, 2)));
    CHECK(rig.find(request)->last_owner == request.owner);
}

TEST_CASE("an operator's word on another claim, or another state, than was seen changes nothing") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    const auto action = GENERATE(values<OperatorAction>({Release{}, ResolveCompleted{by_hand}, ResolveFailed{}}));
    auto word = operator_command(claim_request(1, 10), first.fence, action, Force::yes);
    SECTION("an older fence") {
        --word.fence.value;
    }
    SECTION("a fence to come") {
        ++word.fence.value;
    }
    SECTION("seen while it was executing") {
        word.state = RecordState::processing;
    }
    const auto reply = rig.operate(word, 2);
    check(reply, OperatorVerdict::conflict);
    CHECK(reply.before->fence == first.fence);
    CHECK(to_text(reply.before->state) == "UNKNOWN");
    const auto held = rig.find(claim_request(1, 10));
    CHECK(held->evidence == "reset");
    CHECK(held->owner == first.owner);
    word.fence = first.fence;
    word.state = RecordState::unknown;
    check(rig.operate(word), OperatorVerdict::applied);
    check(rig.operate(word, 1), OperatorVerdict::applied);
}

TEST_CASE("there is nothing to say about a key that nobody has used") {
    Rig rig;
    check(rig.operate(operator_command(claim_request(1, 10), {1}, Release{}, Force::yes), 1), OperatorVerdict::absent);
    CHECK(std::holds_alternative<Claimed>(rig.claim(claim_request(1, 11))));
}

TEST_CASE("a record resolved as completed is replayed, head and body") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    auto response = by_hand;
    SECTION("with a body") {}
    SECTION("with an empty one") {
        response.body.clear();
    }
    SECTION("with nothing at all") {
        response.head.clear();
        response.body.clear();
    }
    const auto reply = rig.operate(operator_command(claim_request(1, 10), first.fence, ResolveCompleted{response}), 1);
    check(reply, OperatorVerdict::applied);
    CHECK(reply.after->response->status == 202);
    CHECK(reply.after->response->body.empty());
    const auto existing = rig.meet(claim_request(1, 11), 2);
    CHECK(to_text(existing.record.state) == "COMPLETED");
    REQUIRE(existing.record.response);
    CHECK(existing.record.response->status == 202);
    CHECK(existing.record.response->head == response.head);
    CHECK(existing.record.response->body == response.body);
    CHECK(existing.record.response->digest == response.digest);
    CHECK(rig.find(claim_request(1, 10))->evidence == "resolved by operator");
}

TEST_CASE("a record resolved as failed is free for whoever comes, and nothing is suspected") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    rig.operate(operator_command(claim_request(1, 10), first.fence, Release{}));
    check(rig.operate(operator_command(claim_request(1, 10), first.fence, ResolveFailed{}), 1), OperatorVerdict::applied);
    const auto other = claim_request(1, 11, identity(2));
    const auto next = rig.win(other, 2);
    CHECK(next.operation_id == other.operation_id);
    CHECK(next.attempt.value == 2);
    CHECK_FALSE(next.may);
    CHECK(to_text(rig.apply(command(other, next, refused)).state) == "FAILED");
}

TEST_CASE("a released answer is gone: the next one is the only one") {
    Rig rig;
    const auto first = executed(rig, Complete{test::response(201, "the first answer")});
    const auto reply = rig.operate(operator_command(claim_request(1, 10), first.fence, Release{}, Force::yes), 1);
    CHECK(reply.before->response->status == 201);
    CHECK_FALSE(reply.after->response);
    CHECK_FALSE(rig.find(claim_request(1, 10))->response);
    const auto request = claim_request(1, 11);
    const auto second = rig.win(request);
    rig.apply(command(request, second, MarkUnknown{"cut"}));
    CHECK_FALSE(rig.find(request)->response);
    rig.apply(command(request, second, Complete{test::response(200, "the second")}));
    CHECK(rig.meet(claim_request(1, 12)).record.response->body == "the second");
}

TEST_CASE("who waits for a record is told of an operator's word") {
    Rig rig;
    const auto action = GENERATE(values<OperatorAction>({Release{}, ResolveCompleted{by_hand}, ResolveFailed{}}));
    const auto request = claim_request(1, 10);
    const std::size_t loop = 1;
    rig.watch(request.id, loop);
    // A store may need a moment to begin watching.
    REQUIRE(rig.eventually([&] {
        const auto other = claim_request(1, 1'000 + rig.fresh());
        rig.apply(command(other, rig.win(other), refused));
        rig.pause();
        return rig.changes(loop).count(request.id) > 0;
    }));
    const auto claim = rig.win(request);
    const auto before = rig.changes(loop).count(request.id);
    check(rig.operate(operator_command(request, claim.fence, action, Force::yes)), OperatorVerdict::applied);
    CHECK(rig.changes(loop).wait_for(request.id, before + 1));
}

TEST_CASE("a bypassed execution after a release may be the second one") {
    Rig rig;
    const auto first = executed(rig, MarkUnknown{"reset"});
    rig.operate(operator_command(claim_request(1, 10), first.fence, Release{}));
    const auto request = claim_request(1, 20);
    const auto reply = rig.apply(command(request, Claim{request.owner, {}, {}, request.operation_id, false}, NoteBypassed{}));
    CHECK(reply.may);
    CHECK(rig.find(request)->may);
}

}  // namespace onceward::contract
