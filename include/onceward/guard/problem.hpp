#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onceward::guard {

/// The codes of spec section 5 that this version answers with.
enum class ProblemCode : std::uint8_t {
    key_missing,
    key_invalid,
    body_too_large,
    processing,
    key_reused,
    fingerprint_changed,
    outcome_unknown,
    bad_request,
    method_not_allowed,
    request_timeout,
    target_too_long,
    expectation_failed,
    headers_too_large,
    connection_limit,
    result_too_large,
    result_expired,
    store_unavailable,
    store_corrupt,
    upstream_unreachable,
    upstream_lost,
    upstream_timeout,
    overloaded
};

enum class Retry : std::uint8_t { same_key, new_key, none };

/// A row of the table of spec section 5.
struct ProblemInfo {
    ProblemCode code;
    std::string_view name;  ///< `KEY_MISSING`
    std::string_view type;  ///< `urn:onceward:problem:key-missing`
    int status;
    std::string_view title;
    std::string_view message;  ///< the default message, English
    Retry retry;
};

const ProblemInfo& info(ProblemCode code);
/// The same for a request that no claim protects: no key can collect its answer or make a repetition safe.
ProblemInfo unguarded_info(ProblemCode code);
std::optional<ProblemCode> parse_problem_code(std::string_view name);
/// `same-key`, `new-key`, `none`.
std::string_view to_text(Retry retry);

/// `Idempotency-Status` (spec section 5).
enum class IdempotencyStatus : std::uint8_t {
    executed,
    replayed,
    processing,
    mismatch,
    unknown,
    failed,
    refused,
    unguarded,
    passed  ///< not sent as a header: a request that no guard looked at, or keyless where the key is optional; counts in metrics
};
std::string_view to_text(IdempotencyStatus status);
/// The status that an answer with this code carries (spec section 5).
IdempotencyStatus status_of(ProblemCode code);

}  // namespace onceward::guard
