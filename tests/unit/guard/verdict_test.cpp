#include "onceward/guard/verdict.hpp"

#include "catch.hpp"
#include "record_builders.hpp"

namespace onceward::guard {

namespace {

using Names = std::vector<std::string>;

Existing existing(RecordState state) {
    Existing made;
    made.record.state = state;
    made.record.identity = test::identity(1);
    made.now = from_micros(1'000'000);
    made.record.lease_until = made.now + seconds{5};
    return made;
}

Refuse refused(const ClaimReply& reply) {
    const auto verdict = decide(reply, test::identity(2));
    REQUIRE(std::holds_alternative<Refuse>(verdict));
    return std::get<Refuse>(verdict);
}

}  // namespace

TEST_CASE("a late claim is STORE_UNAVAILABLE: nothing was claimed, try again soon") {
    const auto refuse = refused(Late{});
    CHECK(refuse.code == ProblemCode::store_unavailable);
    CHECK(refuse.retry == Retry::same_key);
    CHECK(refuse.retry_after == seconds{1});
    CHECK_FALSE(refuse.show_operation_id);
}

TEST_CASE("when the caller differs nothing else is looked at, in every state and relation") {
    using enum RecordState;
    const auto state = GENERATE(processing, completed, failed, unknown, expired);
    const auto relation = GENERATE(Relation::same, Relation::differs, Relation::changed);
    auto reply = existing(state);
    reply.relation = relation;
    reply.caller_same = false;
    const auto refuse = refused(reply);
    CHECK(refuse.code == ProblemCode::key_reused);
    CHECK(refuse.mismatch == Names{"caller"});
    CHECK(refuse.retry == Retry::none);
    CHECK_FALSE(refuse.show_operation_id);
}

TEST_CASE("a different request is KEY_REUSED in every state and names the parts, the caller not among them") {
    using enum RecordState;
    const auto state = GENERATE(processing, completed, failed, unknown, expired);
    auto reply = existing(state);
    reply.relation = Relation::differs;
    const auto refuse = refused(reply);
    CHECK(refuse.code == ProblemCode::key_reused);
    CHECK(refuse.mismatch == Names{"body"});
    CHECK(refuse.retry == Retry::new_key);
    CHECK(refuse.show_operation_id);
}

TEST_CASE("a request that can't be compared is FINGERPRINT_CHANGED in every state") {
    using enum RecordState;
    const auto state = GENERATE(processing, completed, failed, unknown, expired);
    auto reply = existing(state);
    reply.relation = Relation::changed;
    const auto refuse = refused(reply);
    CHECK(refuse.code == ProblemCode::fingerprint_changed);
    CHECK(refuse.mismatch.empty());
    CHECK(refuse.retry == Retry::none);
}

TEST_CASE("a store that breaks its law is never believed enough to execute or to replay") {
    const auto state = GENERATE(RecordState::failed, RecordState::completed);
    CHECK(refused(existing(state)).code == ProblemCode::store_corrupt);
}

TEST_CASE("a lease that is over leaves nothing to wait for") {
    auto reply = existing(RecordState::processing);
    reply.record.lease_until = reply.now - seconds{1};
    const auto verdict = decide(reply, test::identity(1));
    REQUIRE(std::holds_alternative<Wait>(verdict));
    CHECK(std::get<Wait>(verdict).lease_left == milliseconds{0});
}

TEST_CASE("differing parts are named once, in the request's order, then those that only the record has") {
    CHECK(differing_parts("method=a,path=b,body=c", "method=a,path=b,body=c").empty());
    CHECK(differing_parts("method=a,path=b,body=c", "method=x,path=b,body=y") == Names{"method", "body"});
    CHECK(differing_parts("body=c,method=a", "method=x,body=y") == Names{"method", "body"});
    CHECK(differing_parts("method=a,query=q", "method=a,header:x-tenant=t") == Names{"header:x-tenant", "query"});
    CHECK(differing_parts("", "body=y") == Names{"body"});
    CHECK(differing_parts("body=y", "") == Names{"body"});
    CHECK(differing_parts("", "").empty());
}

}  // namespace onceward::guard
