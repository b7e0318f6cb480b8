#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/base/time.hpp"
#include "onceward/config/options.hpp"
#include "onceward/guard/problem.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/reply/idempotency_fields.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onceward::reply {

/// Retry-After where nothing tells how long it will take.
inline constexpr milliseconds retry_soon{1000};

/// An answer of Onceward's own (spec section 5).
struct ProblemReply {
    guard::ProblemCode code = guard::ProblemCode::bad_request;
    int http_status = 0;                           ///< in place of the code's own; a route's own wins; 0: none
    std::optional<guard::Retry> retry = {};        ///< where it differs from the code's own
    std::span<const std::string> mismatch = {};    ///< KEY_REUSED: parts that differ
    int original_status = 0;                       ///< RESULT_TOO_LARGE; 0: not shown
    milliseconds retry_after{0};                   ///< rounded up to seconds; 0: no Retry-After
    std::optional<OperationId> operation_id = {};  ///< only to the caller whose record it is
    /// The answer of a guarded route. Nothing for HTTP's own errors and what no guard looked at: then nothing is said about a
    /// key.
    std::optional<guard::IdempotencyStatus> status = {};
    Recorded recorded = Recorded::yes;       ///< of a guarded execution: `no` when the store could not be told its outcome
    const config::Errors* errors = nullptr;  ///< of the route; nothing: the defaults
    std::string_view date = {};
    http::Version client_version = http::Version::http_1_1;
    http::ConnectionUse connection = http::ConnectionUse::close;
    bool to_head = false;  ///< the request was HEAD: no content is sent
};

/// The whole response. Holds nothing of the request.
void append_problem(std::string& out, const ProblemReply& in);

/// The status it is sent with: the route's own, or the code's.
int problem_status(const ProblemReply& in);

}  // namespace onceward::reply
