#include "store/sqlite/database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <ctime>
#include <stdexcept>

namespace onceward::store::sqlite {

namespace {

/// Another process that is busy leaves the lock for some dozen microseconds between two commits, and nobody queues: with pauses
/// like SQLite's own (up to 100 ms) the lock would rarely be met free within a store timeout.
constexpr microseconds lock_pause{400};
constexpr milliseconds start_pause{4};

void pause_for(microseconds pause) {
    const timespec time{0, static_cast<long>(std::chrono::nanoseconds{pause}.count())};
    ::nanosleep(&time, nullptr);
}

int wait_for_lock(void* data, int attempts) {
    auto& wait = *static_cast<LockWait*>(data);
    const auto now = std::chrono::steady_clock::now();
    if (attempts == 0) {
        wait.until = now + wait.limit;
    }
    if (now >= wait.until) {
        return 0;
    }
    pause_for(lock_pause);
    return 1;
}

/// Recorded answers are nobody else's business. O_EXCL: closing a descriptor of a file that this process has open in SQLite
/// would drop SQLite's locks on it.
void create_private(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::close(fd);
    }
}

}  // namespace

SqlStatus sql_status(int code) {
    switch (code & 0xff) {
        case SQLITE_OK:
        case SQLITE_DONE:
            return SqlStatus::done;
        case SQLITE_ROW:
            return SqlStatus::row;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return SqlStatus::busy;
        case SQLITE_FULL:
            return SqlStatus::full;
        case SQLITE_CONSTRAINT:
        case SQLITE_TOOBIG:
        case SQLITE_MISMATCH:
            return SqlStatus::refused;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return SqlStatus::malformed;
        default:
            return SqlStatus::failed;
    }
}

Database::Database(const std::string& path, milliseconds busy_timeout) : path_(path), lock_wait_{busy_timeout, {}} {
    create_private(path);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
    try {
        if (code != SQLITE_OK) {
            fail("cannot be opened");
        }
        configure();
    } catch (...) {
        sqlite3_close_v2(handle_);
        throw;
    }
}

Database::~Database() {
    sqlite3_close_v2(handle_);
}

void Database::configure() {
    sqlite3_busy_handler(handle_, wait_for_lock, &lock_wait_);
    if (sqlite3_db_readonly(handle_, "main") == 1) {
        throw std::runtime_error("SQLite store " + path_ + ": the file is read-only");
    }
    enter_wal();
    must_execute(
        "PRAGMA synchronous=FULL; PRAGMA cache_size=-1024; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY; PRAGMA "
        "journal_size_limit=8388608;"
        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
}

void Database::enter_wal() {
    // Processes that start together meet each other's exclusive lock here, and SQLite does not ask the busy handler for all of
    // it.
    constexpr int attempts = 200;
    for (int i = 0;; ++i) {
        sqlite3_stmt* statement = nullptr;
        int code = sqlite3_prepare_v2(handle_, "PRAGMA journal_mode=WAL", -1, &statement, nullptr);
        std::string mode;
        if (code == SQLITE_OK) {
            code = sqlite3_step(statement);
            if (code == SQLITE_ROW) {
                mode = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
            }
        }
        sqlite3_finalize(statement);
        if (mode == "wal") {
            return;
        }
        if (sql_status(code) == SqlStatus::row) {
            throw std::runtime_error("SQLite store " + path_ +
                                     ": the file system does not support write-ahead logging (journal mode stays " + mode + ")");
        }
        if (sql_status(code) != SqlStatus::busy || i == attempts) {
            fail("cannot be opened");
        }
        pause_for(start_pause);
    }
}

SqlStatus Database::execute(const char* sql) {
    return sql_status(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
}

void Database::must_execute(const std::string& sql) {
    if (execute(sql.c_str()) != SqlStatus::done) {
        fail("cannot be prepared");
    }
}

std::int64_t Database::must_read_number(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        fail("cannot be read");
    }
    const auto number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(handle_) == 0;
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(handle_);
}

std::int64_t Database::total_changes() const {
    return sqlite3_total_changes64(handle_);
}

std::string Database::message() const {
    return sqlite3_errmsg(handle_);
}

std::string Database::resolved_path() const {
    return sqlite3_db_filename(handle_, "main");
}

void Database::fail(const std::string& what) const {
    throw std::runtime_error("SQLite store " + path_ + ": " + what + ": " + message());
}

}  // namespace onceward::store::sqlite
