#pragma once

#include "onceward/base/result.hpp"
#include "onceward/guard/content_piece.hpp"
#include "onceward/guard/record_machine.hpp"
#include "onceward/store/record_counts.hpp"
#include "onceward/store/record_query.hpp"
#include "onceward/telemetry/metrics.hpp"
#include "store/memory/piece_shelf.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace onceward::store {

/// Whether a step ended an execution: whoever waits for the record should look again.
enum class ShardChange : std::uint8_t { none, left_processing };

/// How far a list has come in a shard: part by part, in each by id.
struct ListPlace {
    std::size_t part = 0;
    std::optional<RecordId> after;  ///< nothing: the part's beginning
};

/// The records of one event loop: the record machine over a map, bounded by bytes. Without I/O and without a clock.
class MemoryShard {
public:
    explicit MemoryShard(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

    struct Claimed {
        guard::ClaimReply reply;
        ShardChange change = ShardChange::none;
    };
    /// `rejected` when the key has no record and there is no room for one.
    Result<Claimed> claim(const guard::ClaimRequest& request, StoreTime now);

    struct Applied {
        guard::CommandReply reply;
        ShardChange change = ShardChange::none;
    };
    Applied apply(const guard::Command& command, StoreTime now);

    /// Beyond the capacity if need be, as answers are.
    guard::PieceVerdict append(const guard::ContentPiece& piece, StoreTime now);
    /// Empty when it is not there.
    [[nodiscard]] std::string read_piece(const guard::PiecesId& of, std::uint32_t index, StoreTime now) const;
    void discard(const guard::PiecesId& of) { pieces_.discard(of); }

    /// Whatever is written, somebody may wait for it. Beyond the capacity if need be.
    struct Operated {
        guard::OperatorReply reply;
        ShardChange change = ShardChange::none;
    };
    Operated operate(const guard::OperatorCommand& command, StoreTime now);

    /// The record as it reads.
    [[nodiscard]] std::optional<FoundRecord> find(const RecordId& id, Detail detail, StoreTime now) const;

    /// Adds to `page` what the query asks for among the records behind `place`, and moves `place` on: some thousand records, or
    /// up to the page's end. False once all were looked at. `place.part` is below `part_count`.
    bool list(const RecordQuery& query, StoreTime now, ListPlace& place, std::vector<ListedRecord>& page) const;
    /// A list goes through the map in parts, each small enough to be put in order within a turn of the loop.
    static constexpr std::size_t part_count = 256;

    /// Drops what is dead at `now`: answers at the end of retention, records at the end of their tombstone. Looks at `limit`
    /// entries at most; true when more may be due.
    bool sweep(StoreTime now, std::size_t limit);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_ + pieces_.bytes(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Neither records nor pieces of answers: nothing to sweep.
    [[nodiscard]] bool empty() const { return size_ == 0 && pieces_.empty(); }
    /// Looks that are planned: one a record at most.
    [[nodiscard]] std::size_t planned() const { return due_.size(); }
    /// Records by state, as they were last written or swept. From any thread.
    [[nodiscard]] RecordCounts counts() const;

private:
    struct Entry {
        std::optional<guard::Record> record;
        std::uint64_t bytes = 0;
        StoreTime queued = StoreTime::max();  ///< when `due_` has this record; `max`: not at all
        std::optional<guard::RecordState> counted_as;
    };
    struct IdHash {
        // The id is a SHA-256 digest: any eight bytes of it are a hash.
        std::size_t operator()(const RecordId& id) const {
            std::size_t hash = 0;
            std::memcpy(&hash, id.bytes.data(), sizeof hash);
            return hash;
        }
    };
    struct Due {
        StoreTime at;
        RecordId id;
        friend auto operator<=>(const Due&, const Due&) = default;
    };
    using Entries = std::unordered_map<RecordId, Entry, IdHash>;

    [[nodiscard]] std::size_t list_part(const RecordQuery& query, StoreTime now, ListPlace& place,
                                        std::vector<ListedRecord>& page) const;
    // Other bytes than those that the map hashes by, and the store chooses a shard by.
    Entries& part_of(const RecordId& id) { return parts_[id.bytes[part_byte]]; }
    [[nodiscard]] const Entries& part_of(const RecordId& id) const { return parts_[id.bytes[part_byte]]; }
    [[nodiscard]] ShardChange write(const RecordId& id, Entries::iterator entry, guard::Record record);
    void enqueue(const RecordId& id, Entry& entry);
    static StoreTime due_at(const Entry& entry);
    void account(Entry& entry);
    void count(Entry& entry, std::optional<guard::RecordState> state);
    void erase(Entries& part, Entries::iterator entry);

    static constexpr std::size_t part_byte = 24;

    std::uint64_t capacity_bytes_;
    std::uint64_t bytes_ = 0;  ///< of the records
    std::size_t size_ = 0;
    PieceShelf pieces_;
    std::array<telemetry::Gauge, record_state_count> counts_;
    std::array<Entries, part_count> parts_;  ///< by one byte of the id
    std::set<Due> due_;                      ///< each record at most once
};

}  // namespace onceward::store
