#include "onceward/guard/outcome.hpp"
#include "stored_record.hpp"

/// Spec section 3, "How an execution ends", as far as records go: a test case a row, named by its words.

namespace onceward::test {

namespace {

Answer status(int code) {
    return {code, {}, false};
}

/// The command that an answer judged so leads to.
Action action_of(const Judgement& judgement) {
    switch (judgement.outcome) {
        case Outcome::completed:
            return Complete{response()};
        case Outcome::failed_not_executed:
            return Fail{FailureKind::not_executed, judgement.evidence};
        case Outcome::failed_answered:
            return Fail{FailureKind::answered, judgement.evidence};
        case Outcome::unknown:
            break;
    }
    return MarkUnknown{judgement.evidence};
}

/// The record after `action` of its owner.
Record after(const Action& action) {
    StoredRecord stored;
    stored.execute(action);
    return *stored.read();
}

Record after(const Answer& answer) {
    return after(action_of(judge(answer, config::outcomes_of(config::OutcomeProfile::standard))));
}

}  // namespace

TEST_CASE("connect refused, DNS failure, connect timeout: FAILED") {
    const auto record = after(Fail{FailureKind::not_executed, "refused"});
    CHECK(record.state == RecordState::failed);
    CHECK(record.failure == FailureKind::not_executed);
    CHECK(record.evidence == "refused");
}

TEST_CASE("upstream answered, status not listed below: COMPLETED") {
    const auto code = GENERATE(200, 201, 204, 301, 307, 400, 404, 409, 422);
    const auto record = after(status(code));
    CHECK(record.state == RecordState::completed);
    CHECK(record.evidence.empty());
    REQUIRE(record.response);
}

TEST_CASE("upstream answered with a status in outcomes.fail: FAILED") {
    SECTION("turned away: not executed") {
        const auto code = GENERATE(401, 403, 407, 408, 425, 429);
        const auto record = after(status(code));
        CHECK(record.state == RecordState::failed);
        CHECK(record.failure == FailureKind::not_executed);
        CHECK(record.evidence == "status:" + std::to_string(code));
    }
    SECTION("an answered failure") {
        const auto code = GENERATE(500, 501, 503, 505, 599);
        const auto record = after(status(code));
        CHECK(record.state == RecordState::failed);
        CHECK(record.failure == FailureKind::answered);
        CHECK(record.evidence == "status:" + std::to_string(code));
    }
}

TEST_CASE("upstream answered with a status in outcomes.hold: UNKNOWN") {
    const auto code = GENERATE(502, 504);
    const auto record = after(status(code));
    CHECK(record.state == RecordState::unknown);
    CHECK(record.evidence == "status:" + std::to_string(code));
}

TEST_CASE("upstream says so itself: COMPLETED, FAILED or UNKNOWN, whatever the status") {
    const auto code = GENERATE(200, 429, 500, 504);
    using Words = std::vector<std::string_view>;
    const Words executed{"executed"};
    const Words not_executed{"not-executed"};
    const Words unknown{"unknown"};
    CHECK(after(Answer{code, executed, false}).state == RecordState::completed);
    const auto failed = after(Answer{code, not_executed, false});
    CHECK(failed.state == RecordState::failed);
    CHECK(failed.failure == FailureKind::not_executed);
    CHECK(after(Answer{code, unknown, false}).state == RecordState::unknown);
    SECTION("anything else, or several: unknown") {
        const auto words =
            GENERATE(values<Words>({{"maybe"}, {""}, {"Executed"}, {"executed", "executed"}, {"executed, executed"}}));
        CHECK(after(Answer{code, words, false}).state == RecordState::unknown);
    }
}

TEST_CASE("307 or 308 to the request's own normalised target: FAILED, not executed") {
    const auto record = after(Answer{308, {}, true});
    CHECK(record.state == RecordState::failed);
    CHECK(record.failure == FailureKind::not_executed);
    CHECK(record.evidence == "redirect");
}

TEST_CASE("connection lost after a byte was written, response cut short, or not HTTP: UNKNOWN") {
    const auto evidence = GENERATE(as<std::string>{}, "reset", "cut", "not_http");
    const auto record = after(MarkUnknown{evidence});
    CHECK(record.state == RecordState::unknown);
    CHECK(record.evidence == evidence);
}

TEST_CASE("no response head in response_timeout: stays PROCESSING while its owner goes on listening") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto claim = stored.win(request);
    for (int beat = 0; beat < 60; ++beat) {
        stored.now += seconds{5};
        REQUIRE(stored.apply(command(request, claim, Renew{})).verdict == CommandVerdict::applied);
    }
    CHECK(stored.read()->state == RecordState::processing);
    CHECK(stored.apply(command(request, claim, MarkUnknown{"deadline"})).state == RecordState::unknown);
}

TEST_CASE("an answer that comes after others read the record as UNKNOWN completes the record") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto claim = stored.win(request);
    stored.now += seconds{16};
    CHECK(stored.meet(claim_request(1, 11)).record.state == RecordState::unknown);
    CHECK(stored.apply(command(request, claim, Complete{response()})).state == RecordState::completed);
    CHECK(stored.meet(claim_request(1, 12)).record.response);
}

TEST_CASE("SIGKILL, crash: reads as UNKNOWN once the lease is over") {
    StoredRecord stored;
    stored.win(claim_request(1, 10));
    stored.now += seconds{15} - microseconds{1};
    CHECK(stored.read()->state == RecordState::processing);
    stored.now += microseconds{1};
    CHECK(stored.read()->state == RecordState::unknown);
    CHECK(stored.read()->evidence == "lease");
}

TEST_CASE("after an attempt that may have run, every later FAILED outcome becomes UNKNOWN") {
    const auto failure =
        GENERATE(as<Fail>{}, Fail{FailureKind::not_executed, "refused"}, Fail{FailureKind::answered, "status:500"});
    StoredRecord stored;
    stored.execute(MarkUnknown{"reset"});
    auto request = claim_request(1, 11);
    request.on_unknown = UnknownPolicy::reforward;
    const auto second = stored.win(request);
    const auto reply = stored.apply(command(request, second, failure));
    CHECK(reply.verdict == CommandVerdict::applied);
    CHECK(reply.state == RecordState::unknown);
    CHECK(reply.may);
    CHECK(stored.read()->evidence == failure.evidence);
    SECTION("also on the attempt after that") {
        auto third_request = claim_request(1, 12);
        third_request.on_unknown = UnknownPolicy::reforward;
        const auto third = stored.win(third_request);
        CHECK(third.attempt.value == 3);
        CHECK(stored.apply(command(third_request, third, failure)).state == RecordState::unknown);
    }
    SECTION("an answer still completes it") {
        CHECK(stored.apply(command(request, second, Complete{response()})).state == RecordState::completed);
    }
}

TEST_CASE("store fails at claim, forward: UNKNOWN(bypassed) is written once the store answers") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const Claim unclaimed{request.owner, {}, {}, request.operation_id, false};
    CHECK(stored.apply(command(request, unclaimed, NoteBypassed{})).state == RecordState::unknown);
    const auto existing = stored.meet(claim_request(1, 11));
    CHECK(existing.record.evidence == "bypassed");
    CHECK(existing.relation == Relation::same);
    SECTION("and the release of the claim that failed before does not free the key") {
        const auto reply = stored.apply(command(request, unclaimed, Fail{FailureKind::not_executed, "not_sent"}));
        CHECK(reply.verdict == CommandVerdict::fenced);
        CHECK(stored.read()->state == RecordState::unknown);
    }
}

}  // namespace onceward::test
