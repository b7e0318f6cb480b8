#include "onceward/guard/ending.hpp"

namespace onceward::guard {

Settlement settlement_of(const Ending& ending) {
    switch (ending.kind) {
        case EndKind::not_sent:
            return {Outcome::failed_not_executed, "refused", ProblemCode::upstream_unreachable};
        case EndKind::lease_too_short:
            return {Outcome::failed_not_executed, "not_sent", ProblemCode::store_unavailable};
        case EndKind::lost:
            return {Outcome::unknown, "reset", ProblemCode::upstream_lost};
        case EndKind::not_http:
            return {Outcome::unknown, "not_http", ProblemCode::upstream_lost};
        case EndKind::cut:
            return {Outcome::unknown, "cut", ProblemCode::upstream_lost};
        case EndKind::answered:
            return {ending.judgement.outcome, ending.judgement.evidence, std::nullopt};
        case EndKind::deadline:
            return {Outcome::unknown, "deadline", ProblemCode::upstream_lost};
        case EndKind::shutdown:
            return {Outcome::unknown, "shutdown", ProblemCode::upstream_lost};
    }
    return {Outcome::unknown, "", ProblemCode::upstream_lost};
}

IdempotencyStatus status_of(Outcome outcome, bool may) {
    switch (outcome) {
        case Outcome::completed:
            return IdempotencyStatus::executed;
        case Outcome::failed_not_executed:
        case Outcome::failed_answered:
            return may ? IdempotencyStatus::unknown : IdempotencyStatus::failed;
        case Outcome::unknown:
            break;
    }
    return IdempotencyStatus::unknown;
}

}  // namespace onceward::guard
