#pragma once

#include "onceward/guard/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace onceward::guard {

/// How long a record stays in each state; of its route (spec section 4). Milliseconds, positive but for `tombstone`.
struct Lifetimes {
    milliseconds lease{15'000};
    milliseconds retention{std::chrono::hours{24}};
    milliseconds tombstone{std::chrono::hours{24 * 7}};
    milliseconds unknown_retention{std::chrono::hours{72}};
};

/// Whether a claim may take an UNKNOWN record over (spec section 4, `on_unknown`).
enum class UnknownPolicy : std::uint8_t { hold, reforward };

/// Asks to be the one that executes. Repeating it with the same `owner` and `deadline` is safe: it recognises itself.
struct ClaimRequest {
    RecordId id;
    std::string route;
    OwnerToken owner;
    /// On the store's clock. A claim that the store meets later is refused as `Late` and changes nothing.
    StoreTime deadline;
    RequestIdentity identity;
    OperationId operation_id;  ///< used when the record has none to go on with
    Lifetimes lifetimes;
    UnknownPolicy on_unknown = UnknownPolicy::hold;
};

/// What the owner holds: every later command names it.
struct Claim {
    OwnerToken owner;
    Fence fence;
    Attempt attempt;
    OperationId operation_id;
    bool may = false;
};

/// What a step did to the number of records that are stored as UNKNOWN: added up over all processes, how many are open.
enum class UnknownChange : std::int8_t { one_less = -1, none = 0, one_more = 1 };

/// This request executes.
struct Claimed {
    Claim claim;
    milliseconds lease;  ///< counted from before the claim was sent
    UnknownChange unknown = UnknownChange::none;
};

/// Somebody was here before. `record` is as it reads now: an expired lease shows as UNKNOWN, a passed `keep_until` as EXPIRED.
struct Existing {
    /// Without `response` unless the record is COMPLETED and both the request and the caller are the same.
    Record record;
    StoreTime now;  ///< the store's clock at the decision
    Relation relation = Relation::same;
    bool caller_same = true;
    UnknownChange unknown = UnknownChange::none;  ///< `one_more`: this claim found that the owner's lease was over
};

/// The claim came after its deadline, or under an owner token that was let go: nothing was changed.
struct Late {};

using ClaimReply = std::variant<Claimed, Existing, Late>;

/// Extends the lease.
struct Renew {};
/// The answer is final.
struct Complete {
    RecordedResponse response;
};
/// The attempt failed; with `may` set (the record's, or the claim's where the store lost the record) the store makes it UNKNOWN.
struct Fail {
    FailureKind kind = FailureKind::not_executed;
    std::string evidence;
};
/// The outcome can't be known by this owner (yet).
struct MarkUnknown {
    std::string evidence;
};
/// The request was sent without a claim while the store was away (`on_store_failure: forward`): whoever comes later must not
/// execute it. Absent and FAILED become UNKNOWN with evidence `bypassed`, identity and operation id of the command, the next
/// attempt and fence, and no owner (all zero); any other record stays. Needs no ownership.
struct NoteBypassed {};

using Action = std::variant<Renew, Complete, Fail, MarkUnknown, NoteBypassed>;

/// A transition by the owner. Idempotent under its owner token: after a lost reply it is sent again.
struct Command {
    RecordId id;
    std::string route;
    Claim claim;
    /// With the claim, enough to write the record again if the store lost it (spec section 3).
    RequestIdentity identity;
    Lifetimes lifetimes;
    Action action;
};

enum class CommandVerdict : std::uint8_t {
    applied,
    rewritten,  ///< the store had lost the record and it was written again: data loss, to be counted
    fenced,     ///< another owner holds the record, or it is settled: nothing was changed
    lapsed,     ///< Renew only: the record already reads UNKNOWN; the owner may still complete it
    /// Complete with content in pieces, of which some are gone: nothing was changed. The answer can still be completed truncated.
    /// The one verdict that stores give before `apply` is asked.
    incomplete
};

struct CommandReply {
    CommandVerdict verdict = CommandVerdict::applied;
    RecordState state = RecordState::processing;  ///< of the record after the command; meaningless when fenced
    bool may = false;
    UnknownChange unknown = UnknownChange::none;
};

[[nodiscard]] UnknownChange unknown_change(const ClaimReply& reply);

}  // namespace onceward::guard
