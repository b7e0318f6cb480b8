#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/guard/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace onceward::reply {

/// Whether the store knows the answer.
enum class Recorded : std::uint8_t { yes, no };

/// What every answer on a guarded route carries (spec section 5).
struct IdempotencyFields {
    guard::IdempotencyStatus status = guard::IdempotencyStatus::executed;
    std::optional<OperationId> operation_id = {};
    Recorded recorded = Recorded::yes;  ///< `no`: `Idempotency-Recorded: false`
};

/// Field lines, CRLF each. `unguarded` adds `Idempotency-Guarded: false`; `passed` writes nothing.
void append_idempotency_fields(std::string& out, const IdempotencyFields& fields);

/// For the trailer section of an answer whose head is out already.
inline constexpr std::string_view not_recorded_line = "Idempotency-Recorded: false\r\n";

}  // namespace onceward::reply
