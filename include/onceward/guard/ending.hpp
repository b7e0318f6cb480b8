#pragma once

#include "onceward/guard/outcome.hpp"
#include "onceward/guard/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onceward::guard {

/// How an execution ended: the left column of the table "how an execution ends" (spec section 3).
enum class EndKind : std::uint8_t {
    not_sent,  ///< no byte can have reached the upstream: refused, DNS failure, connect timeout, a pooled connection found closed
    lease_too_short,  ///< the claim's lease was nearly over before the first byte: nothing was sent
    lost,             ///< connection lost after a byte was written, before a whole head
    not_http,         ///< what came is not an HTTP response, its head is too large, or it is a 101
    cut,              ///< response cut short behind its head
    answered,         ///< a whole answer
    deadline,         ///< no answer in `execution_timeout`
    shutdown          ///< the process stops
};

struct Ending {
    EndKind kind = EndKind::answered;
    Judgement judgement;  ///< of an answer; also of a head whose content was cut
};

/// What an ending does to the record, and what the client gets when there is no answer to give.
struct Settlement {
    Outcome outcome = Outcome::unknown;
    std::string evidence;
    std::optional<ProblemCode> problem;  ///< nothing: the answer itself
};

/// The table itself. Pure.
Settlement settlement_of(const Ending& ending);

/// `Idempotency-Status` of the first answer: `executed`, `failed` or `unknown`. `may`: an earlier attempt may have run, a failure
/// proves nothing.
IdempotencyStatus status_of(Outcome outcome, bool may);

}  // namespace onceward::guard
