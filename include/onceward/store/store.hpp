#pragma once

#include "onceward/base/result.hpp"
#include "onceward/base/task.hpp"
#include "onceward/guard/command.hpp"
#include "onceward/guard/content_piece.hpp"
#include "onceward/guard/operator_command.hpp"
#include "onceward/store/record_query.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace onceward::store {

/// Why a store call failed. Each means "the store can't say"; none means "absent".
enum class StoreErrc {
    unavailable = 1,  ///< not connected, refused, or in a state in which it takes no writes
    timed_out,        ///< no reply by the deadline; the command may have been or may yet be carried out
    lost,             ///< the connection ended before the reply; likewise
    corrupt,          ///< the record can't be read, or is of a newer version: never execute (`STORE_CORRUPT`)
    rejected,         ///< the store refused the command for good (permissions, memory): nothing was changed
    bad_cursor        ///< of `list`: not one that this store has made
};

const boost::system::error_category& store_category();
boost::system::error_code make_error_code(StoreErrc errc);

/// Whether a command that failed with `ec` may have taken effect, or may yet.
bool may_have_been_written(const boost::system::error_code& ec);

/// What a store is, for start-up warnings; no promise depends on it.
struct StoreInfo {
    std::string kind;             ///< `memory`, `sqlite`, `redis`
    bool shared = false;          ///< several processes can see the same records
    bool survives_crash = false;  ///< records outlive this process
};

/// Told about changes of records that somebody waits for.
class ChangeSink {
public:
    virtual ~ChangeSink() = default;
    /// The record left PROCESSING, or may have. A hint: the waiter claims again to find out.
    virtual void on_change(const RecordId& id) = 0;
};

/// A snowflake worker id held until it is given to another (protocol section 15): ids may only use times up to `confirmed_until`.
struct WorkerLease {
    int worker_id = 0;          ///< 0..1023
    StoreTime usable_from;      ///< a new holder starts here: after everything the one before may have used
    StoreTime confirmed_until;  ///< the reserved horizon
};
struct WorkerLeaseRequest {
    OwnerToken owner;             ///< of this process, for its whole life
    int wanted = -1;              ///< a worker id to insist on (configuration, or the one held), or -1 for any free one
    StoreTime clock;              ///< this process's wall clock
    milliseconds horizon{3'000};  ///< how far ahead to reserve
    milliseconds lease{15'000};   ///< after this long without renewal another may take it
};

/// Names pieces of an answer.
struct PieceLookup {
    guard::PiecesId of;
    std::string route;        ///< of the record
    std::uint32_t index = 0;  ///< of `read_piece`
};

/// The port to a store. One object an event loop; every call is made and resumes on that loop's thread. Objects of one process
/// may share a back end, which is then safe to share.
///
/// `claim` and `apply` are one atomic step each, and one round trip. After an error for which `may_have_been_written` holds, the
/// same request sent again settles it: both are idempotent under their owner token.
/// A `Deadline` covers the whole call, queueing included; at the latest then it ends with `timed_out`.
/// The references passed in must stay valid until the call has ended.
class Store {
public:
    virtual ~Store() = default;
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    virtual Task<Result<guard::ClaimReply>> claim(const guard::ClaimRequest& request, Deadline deadline) = 0;
    virtual Task<Result<guard::CommandReply>> apply(const guard::Command& command, Deadline deadline) = 0;
    /// Stores a piece of an answer that is being received: one atomic step. Completing with pieces that are not all there is
    /// `incomplete`; with all of them they are kept as long as the record's answer.
    virtual Task<Result<guard::PieceVerdict>> append(const guard::ContentPiece& piece, Deadline deadline) = 0;
    /// The bytes of a piece; empty when it is not there (any more).
    virtual Task<Result<std::string>> read_piece(const PieceLookup& lookup, Deadline deadline) = 0;
    /// Drops the pieces of an attempt: no record is completed with them, or will be.
    virtual Task<Result<void>> discard(const PieceLookup& lookup, Deadline deadline) = 0;
    /// An operator's word on a record: one atomic step. Whoever watches the record is told. After an error for which
    /// `may_have_been_written` holds, the same command sent again settles it. `corrupt` when the record can't be read: it stays
    /// as it is.
    virtual Task<Result<guard::OperatorReply>> operate(const guard::OperatorCommand& command, Deadline deadline) = 0;
    /// Nothing when there is no such record. `corrupt` when it can't be read.
    virtual Task<Result<std::optional<FoundRecord>>> find(const RecordLookup& lookup, Deadline deadline) = 0;
    /// A page of records, gathered in small steps between which requests are served; it ends early, with a cursor, when it takes
    /// long. Not a snapshot. `bad_cursor` when the cursor is not one of this store's.
    virtual Task<Result<RecordPage>> list(const RecordQuery& query, Deadline deadline) = 0;
    /// Whether the store answers and takes writes, as far as can be told without writing.
    virtual Task<Result<void>> ping(Deadline deadline) = 0;
    /// Takes or renews a snowflake worker id. `rejected` when `wanted` is another's, or all 1024 are taken.
    virtual Task<Result<WorkerLease>> lease_worker(const WorkerLeaseRequest& request, Deadline deadline) = 0;
    /// Remembers `rules`, a text about what keys mean, in place of the one before, which is returned; empty: there was none, or
    /// records don't outlive the process. It has no end of its own.
    virtual Task<Result<std::string>> replace_rules(const std::string& rules, Deadline deadline) = 0;

    /// Estimate of the store's clock, from its latest reply. Good to the round trip; used for claim deadlines only.
    [[nodiscard]] virtual StoreTime now() const = 0;
    [[nodiscard]] virtual StoreInfo info() const = 0;

    /// Starts and ends reporting changes of `id` to the sink that the store was made with. Counted: as many `unwatch` as `watch`.
    /// Best effort; waiters poll as well.
    virtual void watch(const RecordId& id) = 0;
    virtual void unwatch(const RecordId& id) = 0;

    /// What connections that are opened from now on log in with; a store where nobody logs in takes no notice. Open ones stay.
    virtual void set_password(const std::string& /*password*/) {}
};

}  // namespace onceward::store

template <>
struct boost::system::is_error_code_enum<onceward::store::StoreErrc> : std::true_type {};
