#pragma once

#include "onceward/store/sqlite_store.hpp"
#include "store/sqlite/clock_table.hpp"
#include "store/sqlite/count_table.hpp"
#include "store/sqlite/database_files.hpp"
#include "store/sqlite/transitions.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onceward::store::sqlite {

/// The open file with its tables and its clock: carries groups of operations out, each group in one transaction.
/// Of one thread at a time.
class StoreFile {
public:
    /// Opens or creates the file and brings it to the schema. Throws std::runtime_error.
    explicit StoreFile(const SqliteOptions& options);

    /// Sets reply or error of each operation. When this is back they are durable; an error here is the error of them all.
    boost::system::error_code transact(const std::vector<Operation*>& group);
    /// Ends up to a few dozen records whose time is over; how many it were.
    std::int64_t purge();
    /// Records by state, for metrics.
    std::optional<RecordCounts> count();
    /// Whether `purge` had as much as it does at once.
    static bool is_full_purge(std::int64_t purged);

    /// Whether the last transaction changed anything.
    [[nodiscard]] bool wrote() const { return wrote_; }
    [[nodiscard]] const SteeredClock& clock() const { return clock_; }
    /// What was wrong in the last transaction that failed, in words.
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
    SqlStatus begin();
    [[nodiscard]] bool carry_out(const std::vector<Operation*>& group);
    bool keep_clock();
    boost::system::error_code commit();
    boost::system::error_code abandon(StoreErrc errc);
    SqlStatus run(Statement& statement);

    HostTime (*host_time_)();
    Database database_;
    TableNames tables_;
    DatabaseFiles files_;
    ClockTable clock_table_;
    CountTable counts_;
    SteeredClock clock_;
    Transitions transitions_;
    Statement begin_;
    Statement commit_;
    Statement rollback_;

    microseconds clock_kept_at_{0};  ///< CLOCK_BOOTTIME of the mark in the file
    bool write_failed_ = false;      ///< nothing could be written since: a ping has to try
    bool wrote_ = false;
    std::string trouble_;
};

}  // namespace onceward::store::sqlite
