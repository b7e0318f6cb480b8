#include "guard/record_writes.hpp"

#include "onceward/base/assert.hpp"

namespace onceward::guard {

namespace {

void free_record(Record& record, const Fail& action, const Lifetimes& lifetimes, StoreTime now) {
    record.state = RecordState::failed;
    record.failure = action.kind;
    record.evidence = action.evidence;
    record.response.reset();
    record.updated_at = now;
    record.keep_until = now + lifetimes.retention;
    record.forget_at = record.keep_until;
}

/// Whoever held the claim is fenced from now on, and is remembered: a claim of its that is still on its way finds nothing free.
void take_from_owner(Record& record) {
    if (record.owner != OwnerToken{}) {
        record.last_owner = record.owner;
        record.owner = {};
    }
}

}  // namespace

UnknownChange unknown_change(const std::optional<Record>& stored, const std::optional<Record>& written) {
    const bool before = stored && stored->state == RecordState::unknown;
    const bool after = written ? written->state == RecordState::unknown : before;
    if (before == after) {
        return UnknownChange::none;
    }
    return after ? UnknownChange::one_more : UnknownChange::one_less;
}

void keep_record(Record& record, StoreTime until, const Lifetimes& lifetimes) {
    record.keep_until = until;
    record.forget_at = until + lifetimes.tombstone;
}

void make_processing(Record& record, const Lifetimes& lifetimes, StoreTime now) {
    record.state = RecordState::processing;
    record.evidence.clear();
    record.response.reset();
    record.updated_at = now;
    record.lease_until = now + lifetimes.lease;
    keep_record(record, record.lease_until + lifetimes.unknown_retention, lifetimes);
}

void make_completed(Record& record, const Complete& action, const Lifetimes& lifetimes, StoreTime now) {
    record.state = RecordState::completed;
    record.evidence.clear();
    record.response = action.response;
    record.updated_at = now;
    keep_record(record, now + lifetimes.retention, lifetimes);
}

void make_unknown(Record& record, const std::string& evidence, const Lifetimes& lifetimes, StoreTime now) {
    record.state = RecordState::unknown;
    record.evidence = evidence;
    record.updated_at = now;
    keep_record(record, now + lifetimes.unknown_retention, lifetimes);
}

void make_failed(Record& record, const Fail& action, const Lifetimes& lifetimes, StoreTime now) {
    ONCEWARD_ASSERT(!record.may);
    free_record(record, action, lifetimes, now);
}

void make_released(Record& record, const Lifetimes& lifetimes, StoreTime now) {
    take_from_owner(record);
    record.may = true;
    // `answered`: the operation id stays with the request that may have run under it.
    free_record(record, {FailureKind::answered, std::string(released_by_operator)}, lifetimes, now);
}

void make_resolved(Record& record, const ResolveCompleted& action, const Lifetimes& lifetimes, StoreTime now) {
    take_from_owner(record);
    record.may = false;
    make_completed(record, {action.response}, lifetimes, now);
    record.evidence = resolved_by_operator;
}

void make_resolved(Record& record, const ResolveFailed& /*action*/, const Lifetimes& lifetimes, StoreTime now) {
    take_from_owner(record);
    record.may = false;
    make_failed(record, {FailureKind::not_executed, std::string(resolved_by_operator)}, lifetimes, now);
}

}  // namespace onceward::guard
