#pragma once

#include "onceward/store/store.hpp"

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onceward::store::sqlite {

class LoopLink;

enum class OperationKind : std::uint8_t {
    claim,
    apply,
    ping,
    lease_worker,
    operate,
    find,
    list,
    replace_rules,
    append,
    read_piece,
    discard
};

/// How a caller's wait ended.
enum class Ending : std::uint8_t { answered, timed_out };

/// Who may still act on an operation. The writer takes it from `queued` to `started`, its loop from `queued` to `abandoned`:
/// whoever comes second has lost.
enum class Progress : std::uint8_t { queued, started, abandoned };

/// A call that is made seldom, of an operator or about a large answer, and its reply.
struct OperatorCall {
    guard::OperatorCommand command;
    guard::OperatorReply reply;

    RecordLookup lookup;
    std::optional<FoundRecord> found;

    RecordQuery query;
    std::int64_t after = 0;  ///< the row that was looked at last
    bool more = false;       ///< there are rows behind it
    std::vector<ListedRecord> listed;

    std::string rules;
    std::string former_rules;

    guard::ContentPiece piece;  ///< `read_piece` fills its bytes
    guard::PieceVerdict piece_verdict = guard::PieceVerdict::appended;
    PieceLookup pieces;
};

/// One call of a loop on its way to the writer and back. It belongs to its loop's `LoopLink`, holds a copy of the request, for
/// the caller may be gone by its deadline while the writer is still at it, and is used again, so that its strings keep their
/// memory.
struct Operation : boost::intrusive::list_base_hook<> {
    explicit Operation(LoopLink& link) : home(link) {}

    LoopLink& home;
    OperationKind kind = OperationKind::ping;
    Deadline deadline;

    // Set by the loop before it is queued, then the writer's to read.
    guard::ClaimRequest claim;
    guard::Command command;
    WorkerLeaseRequest worker;
    std::unique_ptr<OperatorCall> operator_call;  ///< of `operate` and those behind it; its replies are the writer's as below

    // The writer's until it comes back.
    boost::system::error_code error;
    guard::ClaimReply claim_reply;
    guard::CommandReply command_reply;
    WorkerLease worker_lease;
    bool settled = false;  ///< the record was written and is not PROCESSING
    /// The record that was settled.
    [[nodiscard]] const RecordId& settled_id() const { return operator_call ? operator_call->command.id : command.id; }

    std::atomic<Progress> progress = Progress::queued;
    Operation* next = nullptr;  ///< in the inbox, and in the list that comes back

    // The loop's alone.
    Suspension waiter;  ///< none once the caller has its answer
    Ending ending = Ending::answered;
};

}  // namespace onceward::store::sqlite
