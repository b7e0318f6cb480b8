#include "onceward/guard/ending.hpp"

#include "catch.hpp"

#include <string>

using namespace onceward::guard;

namespace {

struct Row {
    const char* what;
    EndKind kind;
    Outcome outcome;
    std::string evidence;
    std::optional<ProblemCode> problem;
};

}  // namespace

TEST_CASE("how an execution ends: what the record says and what the client gets") {
    const Row rows[] = {
        {"connect refused, DNS failure, connect timeout", EndKind::not_sent, Outcome::failed_not_executed, "refused",
         ProblemCode::upstream_unreachable},
        {"the lease was nearly over before the first byte", EndKind::lease_too_short, Outcome::failed_not_executed, "not_sent",
         ProblemCode::store_unavailable},
        {"connection lost after a byte was written, before a whole response", EndKind::lost, Outcome::unknown, "reset",
         ProblemCode::upstream_lost},
        {"response head over 256 KiB or 500 fields; 101 to a guarded request; not HTTP", EndKind::not_http, Outcome::unknown,
         "not_http", ProblemCode::upstream_lost},
        {"response cut short", EndKind::cut, Outcome::unknown, "cut", ProblemCode::upstream_lost},
        {"no response until execution_timeout", EndKind::deadline, Outcome::unknown, "deadline", ProblemCode::upstream_lost},
        {"SIGTERM, the grace is over", EndKind::shutdown, Outcome::unknown, "shutdown", ProblemCode::upstream_lost},
    };
    for (const auto& row : rows) {
        INFO(row.what);
        const auto settlement = settlement_of({row.kind, {}});
        CHECK(settlement.outcome == row.outcome);
        CHECK(settlement.evidence == row.evidence);
        CHECK(settlement.problem == row.problem);
    }
}

TEST_CASE("an answer is given to the client as it is, and its judgement to the record") {
    const Judgement judgements[] = {{Outcome::completed, ""},
                                    {Outcome::failed_answered, "status:503"},
                                    {Outcome::failed_not_executed, "status:429"},
                                    {Outcome::unknown, "status:502"}};
    for (const auto& judgement : judgements) {
        const auto settlement = settlement_of({EndKind::answered, judgement});
        CHECK(settlement.outcome == judgement.outcome);
        CHECK(settlement.evidence == judgement.evidence);
        CHECK_FALSE(settlement.problem);
    }
}

TEST_CASE("a cut answer is unknown whatever its head said") {
    const auto settlement = settlement_of({EndKind::cut, {Outcome::completed, ""}});
    CHECK(settlement.outcome == Outcome::unknown);
    CHECK(settlement.problem == ProblemCode::upstream_lost);
}

TEST_CASE("the first answer's status: a failure proves nothing once an earlier attempt may have run") {
    CHECK(status_of(Outcome::completed, false) == IdempotencyStatus::executed);
    CHECK(status_of(Outcome::completed, true) == IdempotencyStatus::executed);
    CHECK(status_of(Outcome::failed_answered, false) == IdempotencyStatus::failed);
    CHECK(status_of(Outcome::failed_not_executed, false) == IdempotencyStatus::failed);
    CHECK(status_of(Outcome::failed_answered, true) == IdempotencyStatus::unknown);
    CHECK(status_of(Outcome::failed_not_executed, true) == IdempotencyStatus::unknown);
    CHECK(status_of(Outcome::unknown, false) == IdempotencyStatus::unknown);
}
