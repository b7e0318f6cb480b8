#include "stored_record.hpp"

namespace onceward::test {

namespace {
const Fail refused{FailureKind::not_executed, "refused"};
}

TEST_CASE("a repeated command of the owner writes nothing") {
    StoredRecord stored;
    const auto action = GENERATE(values<Action>({Complete{response()}, refused, MarkUnknown{"cut"}}));
    const auto claim = stored.execute(action);
    stored.now += seconds{1};
    const auto step = apply(stored.record, command(claim_request(1, 10), claim, action), stored.now);
    CHECK(step.reply.verdict == CommandVerdict::applied);
    CHECK_FALSE(step.write);
}

TEST_CASE("another answer, status or end is fenced once the record is COMPLETED") {
    StoredRecord stored;
    const auto claim = stored.execute(Complete{response(201, "first", 1)});
    const auto action = GENERATE(values<Action>(
        {Renew{}, Complete{response(201, "second", 2)}, Complete{response(202, "first", 1)}, refused, MarkUnknown{"cut"}}));
    const auto step = apply(stored.record, command(claim_request(1, 10), claim, action), stored.now);
    CHECK(step.reply.verdict == CommandVerdict::fenced);
    CHECK_FALSE(step.write);
}

TEST_CASE("a fenced command writes nothing") {
    StoredRecord stored;
    stored.win(claim_request(1, 10));
    const auto action = GENERATE(values<Action>({Renew{}, Complete{response()}, refused, MarkUnknown{"cut"}}));
    const auto stranger = claim_request(1, 66);
    const auto step = apply(stored.record, command(stranger, Claim{stranger.owner, {1}, {1}, {1}, false}, action), stored.now);
    CHECK(step.reply.verdict == CommandVerdict::fenced);
    CHECK_FALSE(step.write);
}

TEST_CASE("each state is kept for its own time from the command on") {
    StoredRecord stored;
    auto request = claim_request(1, 10);
    request.lifetimes = {seconds{10}, seconds{100}, seconds{1'000}, seconds{200}};
    const auto claim = stored.win(request);
    CHECK(stored.record->lease_until == stored.now + seconds{10});
    stored.now += seconds{5};
    SECTION("COMPLETED for the retention, then as a tombstone") {
        stored.apply(command(request, claim, Complete{response()}));
        CHECK(stored.record->keep_until == stored.now + seconds{100});
        CHECK(stored.record->forget_at == stored.now + seconds{1'100});
    }
    SECTION("FAILED for the retention alone") {
        stored.apply(command(request, claim, refused));
        CHECK(stored.record->keep_until == stored.now + seconds{100});
        CHECK(stored.record->forget_at == stored.now + seconds{100});
    }
    SECTION("UNKNOWN for its own retention, then as a tombstone") {
        stored.apply(command(request, claim, MarkUnknown{"reset"}));
        CHECK(stored.record->keep_until == stored.now + seconds{200});
        CHECK(stored.record->forget_at == stored.now + seconds{1'200});
    }
    SECTION("PROCESSING for the lease, from the renewal on") {
        stored.apply(command(request, claim, Renew{}));
        CHECK(stored.record->lease_until == stored.now + seconds{10});
        CHECK(stored.record->updated_at == stored.now);
        CHECK(stored.record->created_at == stored.now - seconds{5});
    }
}

TEST_CASE("each step tells what it did to the number of UNKNOWN records") {
    StoredRecord stored;
    auto request = claim_request(1, 10);
    request.on_unknown = UnknownPolicy::reforward;
    const auto change_of = [](const CommandReply& reply) { return static_cast<int>(reply.unknown); };
    const auto met = [&](std::uint64_t owner) {
        auto again = claim_request(1, owner);
        again.on_unknown = owner % 2 == 0 ? UnknownPolicy::reforward : UnknownPolicy::hold;
        return static_cast<int>(unknown_change(stored.claim(again)));
    };
    const auto claim = stored.win(request);
    CHECK(change_of(stored.apply(command(request, claim, Renew{}))) == 0);
    CHECK(change_of(stored.apply(command(request, claim, MarkUnknown{"reset"}))) == 1);
    CHECK(change_of(stored.apply(command(request, claim, MarkUnknown{"reset"}))) == 0);
    CHECK(change_of(stored.apply(command(request, claim, MarkUnknown{"cut"}))) == 0);
    SECTION("a late answer") {
        CHECK(change_of(stored.apply(command(request, claim, Complete{response()}))) == -1);
        CHECK(met(21) == 0);
    }
    SECTION("a refused duplicate, then one that executes") {
        CHECK(met(21) == 0);
        CHECK(met(22) == -1);
    }
}

TEST_CASE("the claim that finds an owner's lease over counts the record, and no other does") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto claim = stored.win(request);
    stored.now += request.lifetimes.lease;
    CHECK(stored.meet(claim_request(1, 11)).unknown == UnknownChange::one_more);
    CHECK(stored.meet(claim_request(1, 12)).unknown == UnknownChange::none);
    CHECK(stored.apply(command(request, claim, MarkUnknown{"deadline"})).unknown == UnknownChange::none);
    CHECK(stored.apply(command(request, claim, Complete{response()})).unknown == UnknownChange::one_less);
}

TEST_CASE("a request without a claim and a lost record count as UNKNOWN when they are written so") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    CHECK(stored.apply(command(request, Claim{request.owner, {1}, {1}, {1}, false}, NoteBypassed{})).unknown ==
          UnknownChange::one_more);
    CHECK(stored.apply(command(request, Claim{request.owner, {1}, {1}, {1}, false}, NoteBypassed{})).unknown ==
          UnknownChange::none);
    stored.record.reset();
    CHECK(stored.apply(command(request, Claim{request.owner, {1}, {2}, {1}, true}, refused)).unknown == UnknownChange::one_more);
}

TEST_CASE("a record is rewritten as its claim had written it") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const Claim claim{request.owner, {77}, {3}, {4'242}, true};
    const auto reply = stored.apply(command(request, claim, Renew{}));
    CHECK(reply.verdict == CommandVerdict::rewritten);
    CHECK(reply.may);
    CHECK(stored.record->owner == request.owner);
    CHECK(stored.record->fence.value == 77);
    CHECK(stored.record->attempt.value == 3);
    CHECK(stored.record->operation_id.value == 4'242);
    CHECK(stored.record->may);
    CHECK(stored.record->route == request.route);
    CHECK(stored.record->identity.parts == request.identity.parts);
    CHECK(stored.record->lease_until == stored.now + request.lifetimes.lease);
}

TEST_CASE("a failure on a lost record frees the key, unless an attempt before may have run") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    Claim claim{request.owner, {77}, {2}, {4'242}, false};
    CHECK(stored.apply(command(request, claim, refused)).verdict == CommandVerdict::applied);
    CHECK_FALSE(stored.record);
    claim.may = true;
    const auto reply = stored.apply(command(request, claim, refused));
    CHECK(reply.verdict == CommandVerdict::rewritten);
    CHECK(reply.state == RecordState::unknown);
    CHECK(stored.record->may);
}

TEST_CASE("an answered failure on a lost record is written again: the next attempt carries the same operation id") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const Claim claim{request.owner, {77}, {2}, {4'242}, false};
    const auto reply = stored.apply(command(request, claim, Fail{FailureKind::answered, "status:500"}));
    CHECK(reply.verdict == CommandVerdict::rewritten);
    CHECK(reply.state == RecordState::failed);
    REQUIRE(stored.record);
    const auto again = stored.claim(claim_request(1, 11));
    const auto& next = std::get<Claimed>(again).claim;
    CHECK(next.operation_id.value == 4'242);
    CHECK(next.attempt.value == 3);
}

TEST_CASE("a bypassed execution is the next attempt of nobody, under its own operation id") {
    StoredRecord stored;
    const auto first = stored.execute(refused);
    const auto request = claim_request(1, 20, identity(2));
    stored.apply(command(request, Claim{request.owner, {}, {}, request.operation_id, false}, NoteBypassed{}));
    CHECK(stored.record->state == RecordState::unknown);
    CHECK(stored.record->attempt.value == 2);
    CHECK(stored.record->fence > first.fence);
    CHECK(stored.record->operation_id == request.operation_id);
    CHECK(stored.record->owner == OwnerToken{});
    CHECK(stored.record->last_owner == first.owner);
    CHECK(relate(stored.record->identity, request.identity) == Relation::same);
}

}  // namespace onceward::test
