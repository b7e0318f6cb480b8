#pragma once

#include "onceward/guard/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// @file
/// What an operator may say about a record (spec section 8, protocol section 5, row 11). `operate` in record_machine.hpp is the
/// law.
///
/// An operator's word takes the record away from its owner: the owner token becomes zero, so an owner that still runs finds every
/// later command `fenced` and its client gets the true answer, unrecorded. The fence stays: it grows with claims only.

namespace onceward::guard {

/// Frees the key: the record becomes FAILED (`answered`, evidence `released by operator`), so that the same request executes
/// again, as the next attempt under the same operation id, and another request does not. What ran before may have had its effect:
/// `may` is set. On a FAILED record it changes nothing.
struct Release {};

/// It was executed: the record becomes COMPLETED (evidence `resolved by operator`) and later requests get this answer. Clears
/// `may`.
struct ResolveCompleted {
    RecordedResponse response;  ///< `digest` is the SHA-256 of `body`, `truncated` is false
};

/// It was not executed: the record becomes FAILED (`not-executed`, evidence `resolved by operator`). Clears `may`.
struct ResolveFailed {};

using OperatorAction = std::variant<Release, ResolveCompleted, ResolveFailed>;

/// Evidence of records that an operator has changed.
constexpr std::string_view released_by_operator = "released by operator";
constexpr std::string_view resolved_by_operator = "resolved by operator";

/// A live lease (the record reads PROCESSING) and a COMPLETED record (also one that reads EXPIRED since) give way only to `yes`.
enum class Force : std::uint8_t { no, yes };

/// Safe to send again after a lost reply: on a record that already is what the action makes of it, it is `applied` and writes
/// nothing.
struct OperatorCommand {
    RecordId id;
    std::string route;  ///< the record's
    Fence fence;        ///< as the operator saw it; another one is a `conflict`
    /// As the operator saw it; another one is a `conflict`: force for a live lease must not free a record that was completed
    /// meanwhile. Nothing: not compared.
    std::optional<RecordState> state;
    Force force = Force::no;
    Lifetimes lifetimes;  ///< of the route as it is configured now
    OperatorAction action;
};

enum class OperatorVerdict : std::uint8_t {
    applied,
    absent,      ///< there is no such record (any more)
    conflict,    ///< another claim, or another state, than the operator saw; `before` is what is there
    needs_force  ///< the record reads PROCESSING, or it is COMPLETED or was; `before.state` tells
};
/// `applied`, `absent`, `conflict`, `needs-force`.
std::string_view to_text(OperatorVerdict verdict);

struct OperatorReply {
    OperatorVerdict verdict = OperatorVerdict::absent;
    /// How the record read, nothing when absent, and what it is after an applied command. Responses are without head and body.
    std::optional<Record> before;
    std::optional<Record> after;
    UnknownChange unknown = UnknownChange::none;
};

}  // namespace onceward::guard
