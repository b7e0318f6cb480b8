#include "guard/record_writes.hpp"
#include "onceward/base/assert.hpp"
#include "onceward/guard/record_machine.hpp"

#include <algorithm>
#include <limits>

namespace onceward::guard {

namespace {

bool has_lapsed(const Record& record, StoreTime now) {
    return record.state == RecordState::processing && now >= record.lease_until;
}

/// Makes of a record what it reads as; false when that is absent. Its ends are those of an UNKNOWN record if its lease is over.
bool read_in_place(Record& record, StoreTime now) {
    if (has_lapsed(record, now)) {
        record.state = RecordState::unknown;
        record.evidence = "lease";
    }
    if (record.state == RecordState::processing || now < record.keep_until) {
        return true;
    }
    if (record.state == RecordState::failed || now >= record.forget_at) {
        return false;
    }
    record.state = RecordState::expired;
    if (record.response) {
        record.response->head.clear();
        record.response->body.clear();
        record.response->bytes_in_pieces = 0;
    }
    return true;
}

}  // namespace

std::optional<Record> read_at(Record record, StoreTime now, const Lifetimes& lifetimes) {
    if (has_lapsed(record, now)) {
        keep_record(record, record.lease_until + lifetimes.unknown_retention, lifetimes);
    }
    if (!read_in_place(record, now)) {
        return std::nullopt;
    }
    return record;
}

std::optional<Record> read_at(Record record, StoreTime now) {
    // Each write of a lease has written the ends that go with it.
    if (!read_in_place(record, now)) {
        return std::nullopt;
    }
    return record;
}

Fence next_fence(Fence previous, StoreTime now) {
    ONCEWARD_ASSERT(previous.value < std::numeric_limits<std::int64_t>::max());
    return {std::max(previous.value + 1, to_micros(now))};
}

}  // namespace onceward::guard
