#include "onceward/guard/verdict.hpp"
#include "stored_record.hpp"

/// Spec section 3, "What a later request with the same key gets": a test case a row, named by its words.

namespace onceward::test {

namespace {

const Fail not_executed{FailureKind::not_executed, "status:429"};
const Fail answered{FailureKind::answered, "status:500"};
const auto same = identity(1);
const auto differing = identity(2);
const auto other_caller = identity(1, 2);

/// What a request of `who` gets from `stored`.
Verdict ask(StoredRecord& stored, const RequestIdentity& who, UnknownPolicy policy = UnknownPolicy::hold) {
    auto request = claim_request(1, 11, who);
    request.on_unknown = policy;
    return decide(stored.claim(request), who);
}

void check_refused(const Verdict& verdict, ProblemCode code) {
    REQUIRE(std::holds_alternative<Refuse>(verdict));
    CHECK(info(std::get<Refuse>(verdict).code).name == info(code).name);
}

void check_reused(const Verdict& verdict) {
    check_refused(verdict, ProblemCode::key_reused);
    const auto& refuse = std::get<Refuse>(verdict);
    CHECK(refuse.mismatch == std::vector<std::string>{"body"});
    CHECK(refuse.retry == Retry::new_key);
    CHECK(refuse.show_operation_id);
}

void check_other_caller(const Verdict& verdict) {
    check_refused(verdict, ProblemCode::key_reused);
    const auto& refuse = std::get<Refuse>(verdict);
    CHECK(refuse.mismatch == std::vector<std::string>{"caller"});
    CHECK(refuse.retry == Retry::none);
    CHECK_FALSE(refuse.show_operation_id);
    CHECK(refuse.retry_after == milliseconds{0});
    CHECK(refuse.original_status == 0);
}

Claim check_executes(const Verdict& verdict, std::uint32_t attempt) {
    REQUIRE(std::holds_alternative<Execute>(verdict));
    const auto claim = std::get<Execute>(verdict).claim;
    CHECK(claim.attempt.value == attempt);
    return claim;
}

}  // namespace

TEST_CASE("absent: executes") {
    StoredRecord stored;
    const auto claim = check_executes(ask(stored, same), 1);
    CHECK(claim.operation_id == claim_request(1, 11).operation_id);
    CHECK_FALSE(claim.may);
}

TEST_CASE("PROCESSING: waits, then 409 PROCESSING + Retry-After from the remaining lease; a different request 422 KEY_REUSED") {
    StoredRecord stored;
    stored.win(claim_request(1, 10));
    stored.now += milliseconds{3'500};
    const auto verdict = ask(stored, same);
    REQUIRE(std::holds_alternative<Wait>(verdict));
    const auto wait = std::get<Wait>(verdict);
    CHECK(wait.lease_left == milliseconds{11'500});
    const auto refusal = refuse_processing(wait);
    check_refused(refusal, ProblemCode::processing);
    CHECK(refusal.retry_after == milliseconds{11'500});
    CHECK(refusal.retry == Retry::same_key);
    CHECK(refusal.show_operation_id);
    CHECK(refuse_processing(Wait{milliseconds{20}}).retry_after == seconds{1});
    check_reused(ask(stored, differing));
    check_other_caller(ask(stored, other_caller));
}

TEST_CASE("COMPLETED: the recorded status, headers and body; a different request 422 KEY_REUSED") {
    StoredRecord stored;
    stored.execute(Complete{response(201, "made")});
    CHECK(std::holds_alternative<Replay>(ask(stored, same)));
    const auto existing = stored.meet(claim_request(1, 12));
    REQUIRE(existing.record.response);
    CHECK(existing.record.response->body == "made");
    // The answer does not leave the store for anybody else.
    CHECK_FALSE(stored.meet(claim_request(1, 13, differing)).record.response);
    CHECK_FALSE(stored.meet(claim_request(1, 14, other_caller)).record.response);
    CHECK_FALSE(stored.meet(claim_request(1, 15, identity(2, 1, 2))).record.response);
    check_reused(ask(stored, differing));
    check_other_caller(ask(stored, other_caller));
}

TEST_CASE("COMPLETED, truncated: 409 RESULT_TOO_LARGE with the original status; a different request 422") {
    StoredRecord stored;
    auto answer = response(207, "");
    answer.truncated = true;
    stored.execute(Complete{answer});
    const auto verdict = ask(stored, same);
    check_refused(verdict, ProblemCode::result_too_large);
    CHECK(std::get<Refuse>(verdict).original_status == 207);
    CHECK(std::get<Refuse>(verdict).retry == Retry::none);
    check_reused(ask(stored, differing));
    check_other_caller(ask(stored, other_caller));
}

TEST_CASE("FAILED, proved not executed: executes, attempt+1, same operation id") {
    StoredRecord stored;
    const auto first = stored.execute(not_executed);
    CHECK(check_executes(ask(stored, same), 2).operation_id == first.operation_id);
}

TEST_CASE("FAILED, proved not executed, a different request: executes, new operation id") {
    StoredRecord stored;
    const auto first = stored.execute(not_executed);
    const auto second = check_executes(ask(stored, differing), 2);
    CHECK(second.operation_id == claim_request(1, 11).operation_id);
    CHECK(second.operation_id != first.operation_id);
    CHECK(second.fence > first.fence);
}

TEST_CASE("FAILED by an answered 5xx: executes, attempt+1, same operation id; a different request 422 KEY_REUSED") {
    StoredRecord stored;
    const auto first = stored.execute(answered);
    check_reused(ask(stored, differing));
    CHECK(check_executes(ask(stored, same), 2).operation_id == first.operation_id);
}

TEST_CASE("FAILED, the caller differs: executes with the same operation id") {
    const auto failure = GENERATE(as<Fail>{}, not_executed, answered);
    StoredRecord stored;
    const auto first = stored.execute(failure);
    CHECK(check_executes(ask(stored, other_caller), 2).operation_id == first.operation_id);
    // The record is now the new caller's.
    check_other_caller(decide(stored.claim(claim_request(1, 12, same)), same));
}

TEST_CASE("UNKNOWN, on_unknown hold: 409 OUTCOME_UNKNOWN; a different request 422") {
    StoredRecord stored;
    stored.execute(MarkUnknown{"reset"});
    const auto verdict = ask(stored, same);
    check_refused(verdict, ProblemCode::outcome_unknown);
    CHECK(std::get<Refuse>(verdict).retry == Retry::none);
    CHECK(std::get<Refuse>(verdict).show_operation_id);
    check_reused(ask(stored, differing));
    check_other_caller(ask(stored, other_caller));
}

TEST_CASE("UNKNOWN, on_unknown reforward: executes, attempt+1, same operation id; a different request 422") {
    StoredRecord stored;
    const auto first = stored.execute(MarkUnknown{"reset"});
    check_reused(ask(stored, differing, UnknownPolicy::reforward));
    check_other_caller(ask(stored, other_caller, UnknownPolicy::reforward));
    const auto second = check_executes(ask(stored, same, UnknownPolicy::reforward), 2);
    CHECK(second.operation_id == first.operation_id);
    CHECK(second.may);
}

TEST_CASE("EXPIRED: 409 RESULT_EXPIRED; a different request 422") {
    StoredRecord stored;
    const auto end = GENERATE(values<Action>({Complete{response()}, MarkUnknown{"reset"}}));
    stored.execute(end);
    stored.now = stored.record->keep_until;
    const auto verdict = ask(stored, same);
    check_refused(verdict, ProblemCode::result_expired);
    CHECK(std::get<Refuse>(verdict).retry == Retry::none);
    check_reused(ask(stored, differing));
    check_other_caller(ask(stored, other_caller));
}

TEST_CASE(
    "under another fingerprint configuration equal raw digests are the same request, anything else is 409 FINGERPRINT_CHANGED") {
    StoredRecord stored;
    stored.execute(Complete{response()});
    CHECK(std::holds_alternative<Replay>(ask(stored, identity(1, 1, 2))));
    const auto verdict = ask(stored, identity(2, 1, 2));
    check_refused(verdict, ProblemCode::fingerprint_changed);
    CHECK(std::get<Refuse>(verdict).retry == Retry::none);
    check_other_caller(ask(stored, identity(2, 2, 2)));
}

TEST_CASE("FAILED under another fingerprint configuration") {
    StoredRecord stored;
    SECTION("not executed, equal bytes: same operation id") {
        const auto first = stored.execute(not_executed);
        CHECK(check_executes(ask(stored, identity(1, 1, 2)), 2).operation_id == first.operation_id);
    }
    SECTION("not executed, other bytes: new operation id") {
        stored.execute(not_executed);
        CHECK(check_executes(ask(stored, identity(2, 1, 2)), 2).operation_id == claim_request(1, 11).operation_id);
    }
    SECTION("answered, other bytes: 409 FINGERPRINT_CHANGED") {
        stored.execute(answered);
        check_refused(ask(stored, identity(2, 1, 2)), ProblemCode::fingerprint_changed);
    }
}

}  // namespace onceward::test
