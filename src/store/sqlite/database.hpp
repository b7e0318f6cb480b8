#pragma once

#include "onceward/base/time.hpp"

#include <cstdint>
#include <string>

struct sqlite3;

namespace onceward::store::sqlite {

/// What a call into SQLite ended with, as far as the store tells cases apart.
enum class SqlStatus : std::uint8_t {
    done,
    row,
    busy,       ///< somebody else holds the lock
    full,       ///< no room: nothing was written
    refused,    ///< this statement alone: a constraint, a value too large
    malformed,  ///< the file, or this page of it, is damaged
    failed      ///< anything else: I/O, permissions, a file system that went read-only
};

/// How long to wait for the lock that another connection holds.
struct LockWait {
    milliseconds limit;
    Deadline until;  ///< of the wait at hand
};

/// One connection to one database file, of one thread at a time: WAL, synchronous=FULL, a small page cache, no mmap.
class Database {
public:
    /// Opens or creates `path`. Throws std::runtime_error.
    Database(const std::string& path, milliseconds busy_timeout);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    SqlStatus execute(const char* sql);
    /// For start-up: throws std::runtime_error with SQLite's words.
    void must_execute(const std::string& sql);
    std::int64_t must_read_number(const char* sql);

    /// False once SQLite has rolled back by itself.
    [[nodiscard]] bool in_transaction() const;
    /// Rows that the last statement changed, and all statements so far.
    [[nodiscard]] std::int64_t changes() const;
    [[nodiscard]] std::int64_t total_changes() const;
    /// Of the last call that failed.
    [[nodiscard]] std::string message() const;
    /// Path of the file with symbolic links resolved: the WAL lies beside it.
    [[nodiscard]] std::string resolved_path() const;
    [[nodiscard]] sqlite3* handle() const { return handle_; }

    [[noreturn]] void fail(const std::string& what) const;

private:
    void configure();
    void enter_wal();

    std::string path_;
    LockWait lock_wait_;
    sqlite3* handle_ = nullptr;
};

SqlStatus sql_status(int code);

}  // namespace onceward::store::sqlite
