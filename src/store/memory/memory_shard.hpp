#pragma once

#include "onceward/base/result.hpp"
#include "onceward/guard/record_machine.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace onceward::store {

/// Whether a step ended an execution: whoever waits for the record should look again.
enum class ShardChange : std::uint8_t { none, left_processing };

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

    /// Drops what is dead at `now`: answers at the end of retention, records at the end of their tombstone. Looks at `limit`
    /// entries at most; true when more may be due.
    bool sweep(StoreTime now, std::size_t limit);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::optional<guard::Record> record;
        std::uint64_t bytes = 0;
        StoreTime queued = StoreTime::max();  ///< the earliest entry of `due_` that speaks of this record
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
        bool operator>(const Due& other) const { return at > other.at; }
    };
    using Entries = std::unordered_map<RecordId, Entry, IdHash>;

    [[nodiscard]] ShardChange write(const RecordId& id, Entries::iterator entry, guard::Record record);
    void enqueue(const RecordId& id, Entry& entry);
    void account(Entry& entry);
    void erase(Entries::iterator entry);

    std::uint64_t capacity_bytes_;
    std::uint64_t bytes_ = 0;
    Entries entries_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace onceward::store
