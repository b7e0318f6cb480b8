#include "store/memory/memory_shard.hpp"

#include "onceward/base/assert.hpp"
#include "onceward/store/store.hpp"
#include "store/record_filter.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace onceward::store {

namespace {

using guard::Record;
using guard::RecordState;

/// Of the map's node, its bucket and the node of what is due, as glibc allots them.
constexpr std::uint64_t entry_overhead_bytes = 256;
/// How many dead records a full shard drops before it refuses a claim.
constexpr std::size_t sweep_when_full = 256;
/// Records that a list looks at before the loop gets its turn back: well under a millisecond.
constexpr std::size_t list_turn = 1'024;

bool has_answer(const Record& record) {
    return record.response && !(record.response->head.empty() && record.response->body.empty());
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
    auto& part = part_of(request.id);
    auto entry = part.find(request.id);
    if (entry == part.end() && bytes() >= capacity_bytes_) {
        sweep(now, sweep_when_full);
        if (bytes() >= capacity_bytes_) {
            return make_error_code(StoreErrc::rejected);
        }
    }
    static const std::optional<Record> absent;
    auto step = guard::claim(entry == part.end() ? absent : entry->second.record, request, now);
    Claimed result{std::move(step.reply), ShardChange::none};
    if (step.write) {
        result.change = write(request.id, entry, std::move(*step.write));
    }
    return result;
}

MemoryShard::Applied MemoryShard::apply(const guard::Command& command, StoreTime now) {
    const auto in_pieces = guard::bytes_in_pieces(command.action);
    const guard::PiecesId pieces{command.id, command.claim.fence};
    if (in_pieces > 0 && !pieces_.is_whole(pieces, in_pieces, now)) {
        return {{guard::CommandVerdict::incomplete, {}, {}, {}}, ShardChange::none};
    }
    auto& part = part_of(command.id);
    auto entry = part.find(command.id);
    static const std::optional<Record> absent;
    auto step = guard::apply(entry == part.end() ? absent : entry->second.record, command, now);
    Applied result{step.reply, ShardChange::none};
    if (step.write) {
        if (in_pieces > 0) {
            pieces_.keep(pieces, step.write->keep_until);
        }
        result.change = write(command.id, entry, std::move(*step.write));
    }
    return result;
}

guard::PieceVerdict MemoryShard::append(const guard::ContentPiece& piece, StoreTime now) {
    const auto& part = part_of(piece.of.id);
    const auto entry = part.find(piece.of.id);
    static const std::optional<Record> absent;
    const auto verdict = guard::append(entry == part.end() ? absent : entry->second.record, piece.owner);
    if (verdict == guard::PieceVerdict::appended) {
        pieces_.put(piece, now + piece.keep);
    }
    return verdict;
}

std::string MemoryShard::read_piece(const guard::PiecesId& of, std::uint32_t index, StoreTime now) const {
    return pieces_.read(of, index, now);
}

MemoryShard::Operated MemoryShard::operate(const guard::OperatorCommand& command, StoreTime now) {
    auto& part = part_of(command.id);
    const auto entry = part.find(command.id);
    auto step = guard::operate(entry == part.end() ? std::nullopt : entry->second.record, command, now);
    Operated result{std::move(step.reply), ShardChange::none};
    if (step.write) {
        // What an operator writes has no content in pieces.
        pieces_.discard({command.id, command.fence});
        static_cast<void>(write(command.id, entry, std::move(*step.write)));
        result.change = ShardChange::left_processing;
    }
    return result;
}

std::optional<FoundRecord> MemoryShard::find(const RecordId& id, Detail detail, StoreTime now) const {
    const auto& part = part_of(id);
    const auto entry = part.find(id);
    if (entry == part.end()) {
        return std::nullopt;
    }
    const auto& record = *entry->second.record;
    auto seen = guard::read_at(detail == Detail::content ? record : guard::without_content(record), now);
    return seen ? std::optional(FoundRecord{id, std::move(*seen)}) : std::nullopt;
}

bool MemoryShard::list(const RecordQuery& query, StoreTime now, ListPlace& place, std::vector<ListedRecord>& page) const {
    for (std::size_t looked = 0; looked < list_turn;) {
        looked += list_part(query, now, place, page);
        if (page.size() >= query.limit) {
            return true;
        }
        place.after.reset();
        if (++place.part == part_count) {
            return false;
        }
    }
    return true;
}

/// How many records it looked at. With a full page `place` stays in the part.
std::size_t MemoryShard::list_part(const RecordQuery& query, StoreTime now, ListPlace& place,
                                   std::vector<ListedRecord>& page) const {
    std::vector<const Entries::value_type*> ahead;
    for (const auto& entry : parts_[place.part]) {
        if (!place.after || entry.first > *place.after) {
            ahead.push_back(&entry);
        }
    }
    std::sort(ahead.begin(), ahead.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const auto* entry : ahead) {
        auto seen = guard::read_at(guard::without_content(*entry->second.record), now);
        if (seen && matches(query, *seen, now)) {
            auto route = seen->route;
            page.push_back({entry->first, std::move(route), std::move(seen)});
            if (page.size() >= query.limit) {
                place.after = entry->first;
                break;
            }
        }
    }
    return ahead.size();
}

bool MemoryShard::sweep(StoreTime now, std::size_t limit) {
    pieces_.sweep(now);
    for (; !due_.empty() && due_.begin()->at <= now; --limit) {
        if (limit == 0) {
            return true;
        }
        const auto due = due_.extract(due_.begin()).value();
        auto& part = part_of(due.id);
        const auto entry = part.find(due.id);
        ONCEWARD_ASSERT(entry != part.end());
        entry->second.queued = StoreTime::max();
        auto& record = *entry->second.record;
        if (record.forget_at <= now) {
            erase(part, entry);
            continue;
        }
        if (record.keep_until <= now && record.state != RecordState::processing) {
            count(entry->second, RecordState::expired);
            if (has_answer(record)) {
                // Assignment would keep the buffers.
                std::string().swap(record.response->head);
                std::string().swap(record.response->body);
                account(entry->second);
            }
        }
        enqueue(due.id, entry->second);
    }
    return false;
}

ShardChange MemoryShard::write(const RecordId& id, Entries::iterator entry, Record record) {
    auto& part = part_of(id);
    if (entry == part.end()) {
        entry = part.try_emplace(id).first;
        ++size_;
    }
    auto& held = entry->second;
    const bool was_processing = held.record && held.record->state == RecordState::processing;
    ONCEWARD_ASSERT(!held.record || record.fence >= held.record->fence || record.created_at > held.record->created_at);
    held.record = std::move(record);
    account(held);
    count(held, held.record->state);
    enqueue(id, held);
    return was_processing && held.record->state != RecordState::processing ? ShardChange::left_processing : ShardChange::none;
}

RecordCounts MemoryShard::counts() const {
    RecordCounts counts{};
    for (std::size_t state = 0; state < counts.size(); ++state) {
        counts[state] = static_cast<std::uint64_t>(counts_[state].value());
    }
    return counts;
}

/// When the record next has something to give up, or next reads otherwise. A lease that ends needs no look: whoever claims then
/// finds out.
StoreTime MemoryShard::due_at(const Entry& entry) {
    const auto& record = *entry.record;
    const bool ended = record.state == RecordState::processing || entry.counted_as == RecordState::expired;
    return ended ? record.forget_at : record.keep_until;
}

void MemoryShard::enqueue(const RecordId& id, Entry& entry) {
    const auto at = due_at(entry);
    // A look that comes too early finds that out, and plans the next.
    if (at >= entry.queued) {
        return;
    }
    if (entry.queued == StoreTime::max()) {
        due_.insert({at, id});
    } else {
        auto planned = due_.extract(Due{entry.queued, id});
        planned.value().at = at;
        due_.insert(std::move(planned));
    }
    entry.queued = at;
}

void MemoryShard::account(Entry& entry) {
    const auto bytes = bytes_of(*entry.record) + entry_overhead_bytes;
    bytes_ = bytes_ - entry.bytes + bytes;
    entry.bytes = bytes;
}

void MemoryShard::count(Entry& entry, std::optional<RecordState> state) {
    if (entry.counted_as) {
        counts_[static_cast<std::size_t>(*entry.counted_as)].add(-1);
    }
    if (state) {
        counts_[static_cast<std::size_t>(*state)].add(1);
    }
    entry.counted_as = state;
}

void MemoryShard::erase(Entries& part, Entries::iterator entry) {
    bytes_ -= entry->second.bytes;
    count(entry->second, std::nullopt);
    part.erase(entry);
    --size_;
}

}  // namespace onceward::store
