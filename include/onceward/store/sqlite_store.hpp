#pragma once

#include "onceward/store/record_counts.hpp"
#include "onceward/store/store.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace onceward::store {

/// What the operating system's clocks say.
struct HostTime {
    microseconds boot{0};  ///< CLOCK_BOOTTIME: never set, counts on while the machine sleeps
    microseconds wall{0};  ///< CLOCK_REALTIME: can be set to anything
};
HostTime read_host_time();

struct SqliteOptions {
    std::string path;                     ///< absolute
    std::string prefix = "onceward";      ///< table name, [A-Za-z0-9_.-]{1,64}
    milliseconds busy_timeout{500};       ///< how long another process may hold the file's write lock
    milliseconds purge_interval{10'000};  ///< between two looks for records that are over
    HostTime (*host_time)() = read_host_time;
};

/// An event loop that uses the store, and where it hears of changes.
struct SqliteLoop {
    boost::asio::io_context& context;
    ChangeSink& sink;
};

/// For metrics and tests; they only grow.
struct SqliteCounts {
    std::uint64_t commits = 0;     ///< transactions that were written
    std::uint64_t operations = 0;  ///< operations that were answered from a transaction
    std::uint64_t purged =
        0;  ///< records removed or stripped of their body, and pieces of bodies removed, when their time was over
};

/// The SQLite file of this process: one connection, used by one writer thread that carries out what all loops queue, many
/// operations to a transaction. Several processes of one host may work on one file.
/// Made after the loops' io_contexts and before their threads run; destroyed before the io_contexts, after their threads ended.
class SqliteBackend {
public:
    /// Opens or creates the file and its tables. Throws std::runtime_error that says what is wrong with which file.
    SqliteBackend(const SqliteOptions& options, const std::vector<SqliteLoop>& loops);
    ~SqliteBackend();
    SqliteBackend(const SqliteBackend&) = delete;
    SqliteBackend& operator=(const SqliteBackend&) = delete;

    /// What about the place of the file may break the promise: a file system without persistence or with locks of its own.
    [[nodiscard]] std::vector<std::string> warnings() const;
    [[nodiscard]] SqliteCounts counts() const;
    /// Records of the file by state, those of other processes included, as of the latest operation but at most once a second.
    /// From any thread. A lease that is over counts as UNKNOWN; an end of retention is counted when the purge comes by.
    [[nodiscard]] RecordCounts record_counts() const;

private:
    friend std::unique_ptr<Store> make_sqlite_store(SqliteBackend& backend, std::size_t loop_index);
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// The port of loop `loop_index` (as in the constructor's list) to `backend`, which must outlive it.
std::unique_ptr<Store> make_sqlite_store(SqliteBackend& backend, std::size_t loop_index);

}  // namespace onceward::store
