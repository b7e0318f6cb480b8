#include "onceward/guard/problem.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>
#include <array>

namespace onceward::guard {

namespace {

using enum ProblemCode;

/// In the order of `ProblemCode`, so that a code is its own index.
constexpr std::array table{
    ProblemInfo{key_missing, "KEY_MISSING", "urn:onceward:problem:key-missing", 400, "Idempotency key missing",
                "This operation needs an idempotency key. Send one with the request.", Retry::new_key},
    ProblemInfo{key_invalid, "KEY_INVALID", "urn:onceward:problem:key-invalid", 400, "Idempotency key invalid",
                "The idempotency key can't be used: send exactly one value of 1 to 255 bytes in the accepted form.",
                Retry::new_key},
    ProblemInfo{body_too_large, "BODY_TOO_LARGE", "urn:onceward:problem:body-too-large", 413, "Request body too large",
                "The request body is larger than this operation accepts.", Retry::none},
    ProblemInfo{processing, "PROCESSING", "urn:onceward:problem:processing", 409, "Request still executing",
                "The first request with this key is still executing. Try again later with the same key.", Retry::same_key},
    ProblemInfo{key_reused, "KEY_REUSED", "urn:onceward:problem:key-reused", 422, "Idempotency key reused",
                "This key was already used for a different request. Use a new key for a new operation.", Retry::new_key},
    ProblemInfo{
        fingerprint_changed, "FINGERPRINT_CHANGED", "urn:onceward:problem:fingerprint-changed", 409, "Request comparison changed",
        "How requests are compared was reconfigured since this key was used, and this request can't be told to be the same.",
        Retry::none},
    ProblemInfo{outcome_unknown, "OUTCOME_UNKNOWN", "urn:onceward:problem:outcome-unknown", 409, "Outcome unknown",
                "The first request with this key may or may not have been executed. It is not executed again.", Retry::none},
    ProblemInfo{bad_request, "BAD_REQUEST", "urn:onceward:problem:bad-request", 400, "Bad request",
                "The request is malformed or ambiguous.", Retry::none},
    ProblemInfo{method_not_allowed, "METHOD_NOT_ALLOWED", "urn:onceward:problem:method-not-allowed", 405, "Method not allowed",
                "This method is not supported.", Retry::none},
    ProblemInfo{request_timeout, "REQUEST_TIMEOUT", "urn:onceward:problem:request-timeout", 408, "Request timeout",
                "The request did not arrive in time. Nothing was executed.", Retry::same_key},
    ProblemInfo{target_too_long, "TARGET_TOO_LONG", "urn:onceward:problem:target-too-long", 414, "Request target too long",
                "The request target is longer than accepted.", Retry::none},
    ProblemInfo{expectation_failed, "EXPECTATION_FAILED", "urn:onceward:problem:expectation-failed", 417, "Expectation failed",
                "The expectation of the request is not supported.", Retry::none},
    ProblemInfo{headers_too_large, "HEADERS_TOO_LARGE", "urn:onceward:problem:headers-too-large", 431,
                "Request headers too large", "The request has more or larger header fields than accepted.", Retry::none},
    ProblemInfo{connection_limit, "CONNECTION_LIMIT", "urn:onceward:problem:connection-limit", 503, "Too many connections",
                "The limit of connections is reached. Nothing was executed; try again later.", Retry::same_key},
    ProblemInfo{result_too_large, "RESULT_TOO_LARGE", "urn:onceward:problem:result-too-large", 409, "Result not kept",
                "The request was executed, but its answer was not kept and can't be shown again.", Retry::none},
    ProblemInfo{result_expired, "RESULT_EXPIRED", "urn:onceward:problem:result-expired", 409, "Result expired",
                "This key was used before, and what became of it is no longer kept. It is not executed again.", Retry::none},
    ProblemInfo{store_unavailable, "STORE_UNAVAILABLE", "urn:onceward:problem:store-unavailable", 503, "Store unavailable",
                "The key can't be checked right now. Nothing was executed; try again with the same key.", Retry::same_key},
    ProblemInfo{store_corrupt, "STORE_CORRUPT", "urn:onceward:problem:store-corrupt", 503, "Record unreadable",
                "What is stored for this key can't be read. Nothing was executed.", Retry::same_key},
    ProblemInfo{upstream_unreachable, "UPSTREAM_UNREACHABLE", "urn:onceward:problem:upstream-unreachable", 502,
                "Service unreachable", "The service could not be reached. Nothing was sent; try again with the same key.",
                Retry::same_key},
    ProblemInfo{upstream_lost, "UPSTREAM_LOST", "urn:onceward:problem:upstream-lost", 502, "Answer of the service lost",
                "The connection to the service broke before its answer was complete. The operation may have been executed.",
                Retry::same_key},
    ProblemInfo{upstream_timeout, "UPSTREAM_TIMEOUT", "urn:onceward:problem:upstream-timeout", 504, "Service slow to answer",
                "The service has not answered yet, and its answer is still awaited. Try again with the same key to collect it.",
                Retry::same_key},
    ProblemInfo{overloaded, "OVERLOADED", "urn:onceward:problem:overloaded", 503, "Overloaded",
                "Too many requests are executing. Nothing was executed for this one; try again with the same key.",
                Retry::same_key},
};

constexpr bool indexed_by_code() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].code) != i) {
            return false;
        }
    }
    return true;
}
static_assert(indexed_by_code());
static_assert(table.size() == static_cast<std::size_t>(overloaded) + 1);

}  // namespace

const ProblemInfo& info(ProblemCode code) {
    const auto index = static_cast<std::size_t>(code);
    ONCEWARD_ASSERT(index < table.size());
    return table[index];
}

ProblemInfo unguarded_info(ProblemCode code) {
    ProblemInfo problem = info(code);
    switch (code) {
        case request_timeout:
            // The part that came may have gone on.
            problem.message = "The request did not arrive in time.";
            break;
        case upstream_unreachable:
            problem.message = "The service could not be reached. Nothing was sent.";
            break;
        case upstream_lost:
            problem.retry = Retry::none;
            break;
        case upstream_timeout:
            problem.message = "The service has not answered in time. The operation may have been executed.";
            problem.retry = Retry::none;
            break;
        case overloaded:
            problem.message = "Too many requests are under way. Nothing was sent; try again later.";
            break;
        default:
            break;
    }
    return problem;
}

std::optional<ProblemCode> parse_problem_code(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(), [name](const ProblemInfo& row) { return row.name == name; });
    return found == table.end() ? std::nullopt : std::optional{found->code};
}

std::string_view to_text(Retry retry) {
    switch (retry) {
        case Retry::same_key:
            return "same-key";
        case Retry::new_key:
            return "new-key";
        case Retry::none:
            return "none";
    }
    return {};
}

std::string_view to_text(IdempotencyStatus status) {
    switch (status) {
        case IdempotencyStatus::executed:
            return "executed";
        case IdempotencyStatus::replayed:
            return "replayed";
        case IdempotencyStatus::processing:
            return "processing";
        case IdempotencyStatus::mismatch:
            return "mismatch";
        case IdempotencyStatus::unknown:
            return "unknown";
        case IdempotencyStatus::failed:
            return "failed";
        case IdempotencyStatus::refused:
            return "refused";
        case IdempotencyStatus::unguarded:
            return "unguarded";
        case IdempotencyStatus::passed:
            return "passed";
    }
    return {};
}

IdempotencyStatus status_of(ProblemCode code) {
    switch (code) {
        case processing:
        case upstream_timeout:
            return IdempotencyStatus::processing;
        case key_reused:
        case fingerprint_changed:
            return IdempotencyStatus::mismatch;
        case outcome_unknown:
        case upstream_lost:
            return IdempotencyStatus::unknown;
        case upstream_unreachable:
            return IdempotencyStatus::failed;
        default:
            return IdempotencyStatus::refused;
    }
}

}  // namespace onceward::guard
