#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/base/time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onceward::guard {

/// State of a record (spec section 3). `expired` is never stored: it is how a completed or unknown record reads
/// once `keep_until` has passed.
enum class RecordState : std::uint8_t { processing, completed, failed, unknown, expired };

/// `PROCESSING`, `COMPLETED`, `FAILED`, `UNKNOWN`, `EXPIRED`.
std::string_view to_text(RecordState state);
std::optional<RecordState> parse_record_state(std::string_view text);

/// What a FAILED record proves.
enum class FailureKind : std::uint8_t {
    not_executed,  ///< nothing ran: not sent, turned away by status, or the service said so
    answered       ///< the service answered a failure: it may have run in part
};
/// `not-executed`, `answered`.
std::string_view to_text(FailureKind kind);
std::optional<FailureKind> parse_failure_kind(std::string_view text);

/// Short name of a fingerprint's configuration (which parts, how the body is read). Two versions are never
/// compared by fingerprint, only by raw digest.
using FingerprintVersion = TaggedBytes<struct FingerprintVersionTag, 8>;

/// What must be the same for a request to be *the same* request (spec section 2.4).
struct RequestIdentity {
    FingerprintVersion version;
    Digest fingerprint;  ///< over the configured parts, the caller left out
    Digest raw;          ///< over method, target and body bytes as received
    Digest caller;       ///< over the configured caller values
    /// One truncated digest a part, as text (`method=…,body=…`): opaque to stores, it names the parts that differ.
    /// Printable ASCII, at most 4 KiB.
    std::string parts;
};

/// How a request relates to the one a record was made for.
enum class Relation : std::uint8_t {
    same,
    differs,
    changed  ///< made under another fingerprint configuration, and not equal byte for byte
};

/// Compares all but the caller.
Relation relate(const RequestIdentity& record, const RequestIdentity& request);

/// An answer as it is stored and sent again: end-to-end fields only, in their order, no Date, no framing.
struct RecordedResponse {
    int status = 0;
    /// Reason phrase, CRLF, then field lines, each ended by CRLF. Sent again byte for byte.
    std::string head;
    std::string body;
    /// The content was larger than `max_recorded_body` (or `record_body` is off): `body` is empty, `digest` tells what it was.
    bool truncated = false;
    Digest digest;  ///< SHA-256 of the whole content
    /// Content that lies beside the record, in pieces of its fence (content_piece.hpp), in bytes; then `body` is empty.
    std::uint64_t bytes_in_pieces = 0;

    [[nodiscard]] std::uint64_t content_size() const { return body.size() + bytes_in_pieces; }
};

/// What the store remembers of one key.
struct Record {
    RecordState state = RecordState::processing;
    OwnerToken owner;       ///< holder of the latest claim
    OwnerToken last_owner;  ///< holder of the claim before; all zero when there was none
    Fence fence;
    Attempt attempt;
    OperationId operation_id;
    std::string route;  ///< route name
    RequestIdentity identity;
    /// An attempt of unknown outcome was followed by another, or may be (an operator released the record): a later failure proves
    /// nothing (protocol section 5, rule 9). FAILED has it only when released.
    bool may = false;
    FailureKind failure = FailureKind::not_executed;  ///< only while FAILED
    /// Why the record is FAILED or UNKNOWN: `refused`, `not_sent`, `reset`, `cut`, `deadline`, `status:502`, `lease`,
    /// `shutdown`, `bypassed`, `not_http`, `outcome:unknown`, `released by operator`, `resolved by operator`; the last one also
    /// of a COMPLETED record. Printable ASCII, at most 64 bytes.
    std::string evidence;
    StoreTime created_at;
    StoreTime updated_at;
    StoreTime lease_until;                     ///< while PROCESSING: then it reads as UNKNOWN
    StoreTime keep_until;                      ///< while not PROCESSING: then it reads as EXPIRED (FAILED: absent)
    StoreTime forget_at;                       ///< end of the tombstone: then it reads as absent
    std::optional<RecordedResponse> response;  ///< COMPLETED only
};

/// A copy whose response, if any, is without head and body: what a record is, not what it answers.
Record without_content(const Record& record);

}  // namespace onceward::guard
