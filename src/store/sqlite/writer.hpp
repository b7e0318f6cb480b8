#pragma once

#include "onceward/store/sqlite_store.hpp"
#include "store/sqlite/inbox.hpp"
#include "store/sqlite/store_file.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace onceward::store::sqlite {

/// The thread that owns the file. It takes what is queued, carries up to `group_max` operations out in one transaction, and hands
/// the answers back only after its COMMIT: one sync of the disk for all of them.
class Writer {
public:
    static constexpr std::size_t group_max = 256;

    /// Throws std::runtime_error when the file can't be used. `links` are those whose operations come through `inbox`.
    Writer(const SqliteOptions& options, Inbox& inbox, const std::vector<std::unique_ptr<LoopLink>>& links);
    /// Carries out what is queued and ends the thread.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Any thread, as the rest.
    [[nodiscard]] StoreTime now() const;
    [[nodiscard]] SqliteCounts counts() const;
    [[nodiscard]] RecordCounts record_counts() const;

private:
    /// What goes back to one loop after a group.
    struct Parcel {
        LoopLink* link = nullptr;
        Operation* first = nullptr;
        Operation* last = nullptr;
        std::vector<RecordId> changed;
    };

    void run();
    void run_group();
    void deliver();
    Parcel& parcel_for(const LoopLink& link);
    void purge();
    [[nodiscard]] milliseconds until_purge() const;
    void note_clock();
    void note_records();
    void note_health(const boost::system::error_code& failure);

    Inbox& inbox_;
    StoreFile file_;
    HostTime (*host_time_)();
    milliseconds purge_interval_;

    std::vector<Operation*> group_;
    std::vector<Parcel> parcels_;  ///< one a loop
    Deadline purge_at_;
    Deadline count_at_{};
    bool failing_ = false;
    bool clock_set_ = false;

    std::atomic<bool> stopping_ = false;
    std::atomic<std::int64_t> clock_offset_ = 0;  ///< store time minus CLOCK_BOOTTIME, for the loops
    std::atomic<std::uint64_t> commits_ = 0;
    std::atomic<std::uint64_t> operations_ = 0;
    std::atomic<std::uint64_t> purged_ = 0;
    std::array<std::atomic<std::uint64_t>, record_state_count> records_{};
    std::thread thread_;
};

}  // namespace onceward::store::sqlite
