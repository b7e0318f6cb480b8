#include "stored_record.hpp"

namespace onceward::test {

TEST_CASE("a claim sent again recognises itself and changes nothing") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto first = stored.win(request);
    stored.now += milliseconds{4'000} + microseconds{300};
    const auto step = claim(stored.record, request, stored.now);
    CHECK_FALSE(step.write);
    REQUIRE(std::holds_alternative<Claimed>(step.reply));
    const auto& again = std::get<Claimed>(step.reply);
    CHECK(again.claim.fence == first.fence);
    CHECK(again.claim.attempt == first.attempt);
    CHECK(again.claim.operation_id == first.operation_id);
    CHECK(again.lease == milliseconds{10'999});
}

TEST_CASE("a claim is late after its deadline, whoever sends it, and writes nothing") {
    StoredRecord stored;
    auto request = claim_request(1, 10);
    request.deadline = stored.now;
    CHECK(std::holds_alternative<Claimed>(stored.claim(request)));
    stored.now += microseconds{1};
    const auto again = claim(stored.record, request, stored.now);
    CHECK(std::holds_alternative<Late>(again.reply));
    CHECK_FALSE(again.write);
    const auto on_absent = claim(std::nullopt, request, stored.now);
    CHECK(std::holds_alternative<Late>(on_absent.reply));
    CHECK_FALSE(on_absent.write);
}

TEST_CASE("a token that was let go is late in every state") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto end = GENERATE(values<Action>({Complete{response()}, Fail{FailureKind::not_executed, "refused"},
                                              Fail{FailureKind::answered, "status:500"}, MarkUnknown{"reset"}}));
    stored.execute(end);
    auto again = request;
    again.on_unknown = UnknownPolicy::reforward;
    const auto step = claim(stored.record, again, stored.now);
    CHECK(std::holds_alternative<Late>(step.reply));
    CHECK_FALSE(step.write);
}

TEST_CASE("the token of the owner before is late while the next owner holds the record") {
    StoredRecord stored;
    stored.execute(Fail{FailureKind::not_executed, "refused"});
    const auto second = stored.win(claim_request(1, 11));
    CHECK(std::holds_alternative<Late>(stored.claim(claim_request(1, 10))));
    CHECK(stored.record->owner == second.owner);
    CHECK(stored.record->last_owner == owner_token(10));
}

TEST_CASE("attempts count on, and may stays once it is set") {
    StoredRecord stored;
    stored.execute(MarkUnknown{"reset"});
    for (std::uint64_t owner = 11; owner < 15; ++owner) {
        auto request = claim_request(1, owner);
        request.on_unknown = UnknownPolicy::reforward;
        const auto claim = stored.win(request);
        CHECK(claim.attempt.value == owner - 9);
        CHECK(claim.may);
        CHECK(claim.operation_id == claim_request(1, 10).operation_id);
        stored.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"}));
    }
}

}  // namespace onceward::test
