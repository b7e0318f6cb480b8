#include "onceward/guard/record.hpp"

namespace onceward::guard {

std::string_view to_text(RecordState state) {
    switch (state) {
        case RecordState::processing:
            return "PROCESSING";
        case RecordState::completed:
            return "COMPLETED";
        case RecordState::failed:
            return "FAILED";
        case RecordState::unknown:
            return "UNKNOWN";
        case RecordState::expired:
            return "EXPIRED";
    }
    return {};
}

std::optional<RecordState> parse_record_state(std::string_view text) {
    using enum RecordState;
    for (const auto state : {processing, completed, failed, unknown, expired}) {
        if (text == to_text(state)) {
            return state;
        }
    }
    return std::nullopt;
}

std::string_view to_text(FailureKind kind) {
    switch (kind) {
        case FailureKind::not_executed:
            return "not-executed";
        case FailureKind::answered:
            return "answered";
    }
    return {};
}

std::optional<FailureKind> parse_failure_kind(std::string_view text) {
    for (const auto kind : {FailureKind::not_executed, FailureKind::answered}) {
        if (text == to_text(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

Relation relate(const RequestIdentity& record, const RequestIdentity& request) {
    if (record.version == request.version) {
        return record.fingerprint == request.fingerprint ? Relation::same : Relation::differs;
    }
    // Fingerprints over different parts can't be compared; equal bytes are the same request under any configuration.
    return record.raw == request.raw ? Relation::same : Relation::changed;
}

Record without_content(const Record& record) {
    Record copy;
    copy.state = record.state;
    copy.owner = record.owner;
    copy.last_owner = record.last_owner;
    copy.fence = record.fence;
    copy.attempt = record.attempt;
    copy.operation_id = record.operation_id;
    copy.route = record.route;
    copy.identity = record.identity;
    copy.may = record.may;
    copy.failure = record.failure;
    copy.evidence = record.evidence;
    copy.created_at = record.created_at;
    copy.updated_at = record.updated_at;
    copy.lease_until = record.lease_until;
    copy.keep_until = record.keep_until;
    copy.forget_at = record.forget_at;
    if (record.response) {
        // The body may be large: it is never copied to be dropped.
        auto& response = copy.response.emplace();
        response.status = record.response->status;
        response.bytes_in_pieces = record.response->bytes_in_pieces;
        response.truncated = record.response->truncated;
        response.digest = record.response->digest;
    }
    return copy;
}

}  // namespace onceward::guard
