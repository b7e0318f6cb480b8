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

}  // namespace onceward::guard
