#include "store/memory/memory_shard.hpp"

#include "onceward/base/assert.hpp"
#include "onceward/store/store.hpp"

#include <string>
#include <utility>

namespace onceward::store {

namespace {

using guard::Record;
using guard::RecordState;

/// Of the map's node, its bucket and the queue's entry, as glibc allots them.
constexpr std::uint64_t entry_overhead_bytes = 160;
/// How many dead records a full shard drops before it refuses a claim.
constexpr std::size_t sweep_when_full = 256;

bool has_answer(const Record& record) {
    return record.response && !(record.response->head.empty() && record.response->body.empty());
}

/// When the record next has something to give up.
StoreTime due_at(const Record& record) {
    return record.state == RecordState::completed && has_answer(record) ? record.keep_until : record.forget_at;
}

std::uint64_t bytes_of(const Record& record) {
    auto bytes = sizeof(Record) + record.route.capacity() + record.identity.parts.capacity() + record.evidence.capacity();
    if (record.response) {
        bytes += record.response->head.capacity() + record.response->body.capacity();
    }
    return bytes;
}

}  // namespace

Result<MemoryShard::Claimed> MemoryShard::claim(const guard::ClaimRequest& request, StoreTime now) {
    auto entry = entries_.find(request.id);
    if (entry == entries_.end() && bytes_ >= capacity_bytes_) {
        sweep(now, sweep_when_full);
        if (bytes_ >= capacity_bytes_) {
            return make_error_code(StoreErrc::rejected);
        }
    }
    static const std::optional<Record> absent;
    auto step = guard::claim(entry == entries_.end() ? absent : entry->second.record, request, now);
    Claimed result{std::move(step.reply), ShardChange::none};
    if (step.write) {
        result.change = write(request.id, entry, std::move(*step.write));
    }
    return result;
}

MemoryShard::Applied MemoryShard::apply(const guard::Command& command, StoreTime now) {
    auto entry = entries_.find(command.id);
    static const std::optional<Record> absent;
    auto step = guard::apply(entry == entries_.end() ? absent : entry->second.record, command, now);
    Applied result{step.reply, ShardChange::none};
    if (step.write) {
        result.change = write(command.id, entry, std::move(*step.write));
    }
    return result;
}

bool MemoryShard::sweep(StoreTime now, std::size_t limit) {
    for (; !due_.empty() && due_.top().at <= now; --limit) {
        if (limit == 0) {
            return true;
        }
        const auto due = due_.top();
        due_.pop();
        const auto entry = entries_.find(due.id);
        // The record may be gone, or may have been given a later end since.
        if (entry == entries_.end() || entry->second.queued != due.at) {
            continue;
        }
        entry->second.queued = StoreTime::max();
        auto& record = *entry->second.record;
        if (record.forget_at <= now) {
            erase(entry);
            continue;
        }
        if (record.keep_until <= now && has_answer(record)) {
            // Assignment would keep the buffers.
            std::string().swap(record.response->head);
            std::string().swap(record.response->body);
            account(entry->second);
        }
        enqueue(due.id, entry->second);
    }
    return false;
}

ShardChange MemoryShard::write(const RecordId& id, Entries::iterator entry, Record record) {
    if (entry == entries_.end()) {
        entry = entries_.try_emplace(id).first;
    }
    auto& held = entry->second;
    const bool was_processing = held.record && held.record->state == RecordState::processing;
    ONCEWARD_ASSERT(!held.record || record.fence >= held.record->fence || record.created_at > held.record->created_at);
    held.record = std::move(record);
    account(held);
    enqueue(id, held);
    return was_processing && held.record->state != RecordState::processing ? ShardChange::left_processing : ShardChange::none;
}

void MemoryShard::enqueue(const RecordId& id, Entry& entry) {
    const auto at = due_at(*entry.record);
    if (at < entry.queued) {
        due_.push({at, id});
        entry.queued = at;
    }
}

void MemoryShard::account(Entry& entry) {
    const auto bytes = bytes_of(*entry.record) + entry_overhead_bytes;
    bytes_ = bytes_ - entry.bytes + bytes;
    entry.bytes = bytes;
}

void MemoryShard::erase(Entries::iterator entry) {
    bytes_ -= entry->second.bytes;
    entries_.erase(entry);
}

}  // namespace onceward::store
