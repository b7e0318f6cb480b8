#include "guard/record_writes.hpp"
#include "onceward/base/assert.hpp"
#include "onceward/guard/record_machine.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace onceward::guard {

std::optional<Record> read_at(Record record, StoreTime now, const Lifetimes& lifetimes) {
    if (record.state == RecordState::processing) {
        if (now < record.lease_until) {
            return record;
        }
        record.state = RecordState::unknown;
        record.evidence = "lease";
        keep_record(record, record.lease_until + lifetimes.unknown_retention, lifetimes);
    }
    if (now < record.keep_until) {
        return record;
    }
    if (record.state == RecordState::failed || now >= record.forget_at) {
        return std::nullopt;
    }
    record.state = RecordState::expired;
    if (record.response) {
        record.response->head.clear();
        record.response->body.clear();
    }
    return record;
}

std::optional<Record> read_at(Record record, StoreTime now) {
    // Each write of a lease has written the ends that go with it.
    Lifetimes own;
    own.unknown_retention = std::chrono::floor<milliseconds>(record.keep_until - record.lease_until);
    own.tombstone = std::chrono::floor<milliseconds>(record.forget_at - record.keep_until);
    return read_at(std::move(record), now, own);
}

Fence next_fence(Fence previous, StoreTime now) {
    ONCEWARD_ASSERT(previous.value < std::numeric_limits<std::int64_t>::max());
    return {std::max(previous.value + 1, to_micros(now))};
}

}  // namespace onceward::guard
