#include "store/sqlite/store_file.hpp"

#include <algorithm>

namespace onceward::store::sqlite {

namespace {

/// A large body is a chain of pages to be freed one by one: this bounds how long the claims behind a purge wait.
constexpr std::int64_t purge_max = 32;
/// How old the clock's mark in the file may be when something is written.
constexpr microseconds clock_kept = seconds{1};

Database& migrated(Database& database, const TableNames& tables) {
    migrate(database, tables);
    return database;
}

/// False when its caller has given up: it must not be carried out any more.
bool start(Operation& operation, Deadline now) {
    auto expected = Progress::queued;
    if (!operation.progress.compare_exchange_strong(expected, Progress::started, std::memory_order_acq_rel)) {
        return false;
    }
    if (operation.deadline <= now) {
        operation.error = StoreErrc::timed_out;
        return false;
    }
    return true;
}

}  // namespace

StoreFile::StoreFile(const SqliteOptions& options)
    : host_time_(options.host_time),
      database_(options.path, options.busy_timeout),
      tables_(options.prefix),
      files_(options.path, migrated(database_, tables_).resolved_path()),
      clock_table_(database_, tables_),
      counts_(database_, tables_),
      clock_(host_time_(), read_boot_id(), clock_table_.read()),
      transitions_(database_, tables_, clock_),
      begin_(database_, "BEGIN IMMEDIATE"),
      commit_(database_, "COMMIT"),
      rollback_(database_, "ROLLBACK") {}

boost::system::error_code StoreFile::transact(const std::vector<Operation*>& group) {
    if (begin() != SqlStatus::done) {
        return StoreErrc::unavailable;
    }
    const auto before = database_.total_changes();
    if (!carry_out(group)) {
        return abandon(StoreErrc::unavailable);
    }
    wrote_ = database_.total_changes() != before;
    const bool prove_writable = write_failed_ && std::any_of(group.begin(), group.end(), [](const Operation* operation) {
                                    return operation->kind == OperationKind::ping;
                                });
    if ((prove_writable || (wrote_ && clock_.mark().boot - clock_kept_at_ >= clock_kept)) && !keep_clock()) {
        return abandon(StoreErrc::unavailable);
    }
    return commit();
}

SqlStatus StoreFile::begin() {
    wrote_ = false;
    if (!files_.unchanged()) {
        trouble_ = "the database file was replaced or removed";
        return SqlStatus::failed;
    }
    const auto status = run(begin_);
    clock_.advance(host_time_());
    return status;
}

bool StoreFile::carry_out(const std::vector<Operation*>& group) {
    const auto now = std::chrono::steady_clock::now();
    return std::all_of(group.begin(), group.end(),
                       [&](Operation* operation) { return !start(*operation, now) || transitions_.carry_out(*operation); });
}

/// Leaves in the file what later starts and other processes take their clock from.
bool StoreFile::keep_clock() {
    const auto mark = clock_.mark();
    const auto kept = clock_table_.read();
    if (kept && kept->boot_id == mark.boot_id && kept->boot <= mark.boot) {
        clock_.observe(kept->store + (mark.boot - kept->boot));
    }
    clock_kept_at_ = mark.boot;
    wrote_ = true;
    return clock_table_.write(clock_.mark()) == SqlStatus::done;
}

boost::system::error_code StoreFile::commit() {
    const auto status = run(commit_);
    if (status == SqlStatus::done) {
        write_failed_ = write_failed_ && !wrote_;
        if (files_.unchanged()) {
            return {};
        }
        trouble_ = "the database file was replaced or removed";
        return StoreErrc::lost;
    }
    // A sync that failed may have left the whole transaction on disk, to be found after a crash.
    return abandon(status == SqlStatus::busy || status == SqlStatus::full ? StoreErrc::unavailable : StoreErrc::lost);
}

boost::system::error_code StoreFile::abandon(StoreErrc errc) {
    trouble_ = database_.message();
    write_failed_ = true;
    wrote_ = false;
    if (database_.in_transaction()) {
        const StatementUse use{rollback_};
        rollback_.step();
    }
    return errc;
}

SqlStatus StoreFile::run(Statement& statement) {
    const StatementUse use{statement};
    const auto status = statement.step();
    if (status != SqlStatus::done) {
        trouble_ = database_.message();
    }
    return status;
}

std::int64_t StoreFile::purge() {
    if (begin() != SqlStatus::done) {
        return 0;
    }
    std::int64_t purged = 0;
    if (transitions_.purge(clock_.latest(), purge_max, purged) != Access::done) {
        abandon(StoreErrc::unavailable);
        return 0;
    }
    return commit() ? 0 : purged;
}

std::optional<RecordCounts> StoreFile::count() {
    return counts_.read(clock_.latest());
}

bool StoreFile::is_full_purge(std::int64_t purged) {
    return purged >= purge_max;
}

}  // namespace onceward::store::sqlite
