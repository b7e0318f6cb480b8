#pragma once

#include "onceward/config/options.hpp"
#include "onceward/guard/command.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onceward::guard {

/// What an answer of the service means for the record (spec section 3, "how an execution ends").
enum class Outcome : std::uint8_t { completed, failed_not_executed, failed_answered, unknown };

struct Answer {
    int status = 0;
    /// Values of `Idempotency-Outcome` on the response, one a field line; empty when it was not sent.
    std::span<const std::string_view> declared;
    /// A 307 or 308 whose Location is the request's own normalised target.
    bool redirects_to_itself = false;
};

struct Judgement {
    Outcome outcome = Outcome::completed;
    std::string evidence;  ///< `status:503`, `outcome:unknown`, `redirect`; empty when completed
};

/// Pure. The service's own word beats the status; several or unknown words are `unknown`; then the route's lists, `hold` before
/// `fail`. Statuses 401 403 407 408 425 429 fail as not executed, but for those that the route's own list added all other
/// failures are answered ones.
Judgement judge(const Answer& answer, const config::Outcomes& outcomes);

}  // namespace onceward::guard
