#pragma once

#include "onceward/guard/command.hpp"
#include "onceward/guard/problem.hpp"

#include <string>
#include <variant>
#include <vector>

namespace onceward::guard {

/// This request executes under `claim`.
struct Execute {
    Claim claim;
};
/// The recorded answer is sent again.
struct Replay {};
/// The first request is still executing, and the same request may wait for it.
struct Wait {
    milliseconds lease_left;
};
/// An answer with a problem code.
struct Refuse {
    ProblemCode code{};
    std::vector<std::string> mismatch;  ///< KEY_REUSED: the parts that differ
    int original_status = 0;            ///< RESULT_TOO_LARGE: what the first client got
    milliseconds retry_after{0};        ///< rounded up to seconds for Retry-After; 0: no such header
    bool show_operation_id = true;      ///< false where the caller differs: nothing about the record
    Retry retry = Retry::none;
};

using Verdict = std::variant<Execute, Replay, Wait, Refuse>;

/// The table "what a later request with the same key gets" of spec section 3. Pure. `Late` is STORE_UNAVAILABLE: nothing was
/// claimed.
Verdict decide(const ClaimReply& reply, const RequestIdentity& request);

/// The answer of a request that may not wait any longer: PROCESSING, `retry_after` from the lease left, at least a second.
Refuse refuse_processing(const Wait& wait);

/// Names of the parts of `record.parts` and `request.parts` that differ or stand in one alone, in the request's order, each once.
std::vector<std::string> differing_parts(std::string_view record_parts, std::string_view request_parts);

}  // namespace onceward::guard
