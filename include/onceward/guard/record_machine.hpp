#pragma once

#include "onceward/guard/command.hpp"
#include "onceward/guard/operator_command.hpp"

#include <optional>

/// @file
/// The law that every store obeys (spec section 3, protocol section 5), as pure functions of values. The memory store is these
/// functions over a map; SQL and Lua are translations of them, and the contract suite compares each store with them on
/// random sequences.

namespace onceward::guard {

/// The record as it reads at `now`: an expired lease is UNKNOWN (evidence `lease`, kept for `unknown_retention` from the end of
/// the lease), a passed `keep_until` is EXPIRED without its answer (and FAILED absent), a passed `forget_at` is absent.
/// PROCESSING never becomes absent before it has read as UNKNOWN and EXPIRED for their times: that is when a store may drop it
/// (`forget_at`). `lifetimes` are those of the command that looks.
std::optional<Record> read_at(Record record, StoreTime now, const Lifetimes& lifetimes);

/// The same by the lifetimes that the record was written with: for who looks and has no route's configuration at hand.
std::optional<Record> read_at(Record record, StoreTime now);

struct ClaimStep {
    /// What the store must hold afterwards; nothing when nothing changes.
    std::optional<Record> write;
    ClaimReply reply;
};

/// Decides a claim on `stored` (nothing when the key is unknown) at `now`.
ClaimStep claim(const std::optional<Record>& stored, const ClaimRequest& request, StoreTime now);

struct CommandStep {
    std::optional<Record> write;
    CommandReply reply;
};

/// Decides an owner's command on `stored` at `now`.
CommandStep apply(const std::optional<Record>& stored, const Command& command, StoreTime now);

struct OperatorStep {
    std::optional<Record> write;
    OperatorReply reply;
};

/// Decides an operator's command on `stored` at `now`. In this order: no record is `absent`; another fence is a `conflict`; a
/// record that already is what is asked for is `applied`; another state than was seen is a `conflict`; a live lease or a
/// COMPLETED record `needs_force`.
OperatorStep operate(const std::optional<Record>& stored, const OperatorCommand& command, StoreTime now);

/// Fence of a claim made at `now` on a record whose fence was `previous`: strictly greater, also when the record was lost.
Fence next_fence(Fence previous, StoreTime now);

}  // namespace onceward::guard
