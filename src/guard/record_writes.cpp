#include "guard/record_writes.hpp"

#include "onceward/base/assert.hpp"

namespace onceward::guard {

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
    record.state = RecordState::failed;
    record.failure = action.kind;
    record.evidence = action.evidence;
    record.updated_at = now;
    record.keep_until = now + lifetimes.retention;
    record.forget_at = record.keep_until;
}

}  // namespace onceward::guard
