#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/base/time.hpp"

#include <cstdint>
#include <variant>

/// @file
/// Snowflake ids (spec section 5, protocol section 15): 41 bits of milliseconds since 2024-01-01T00:00:00Z, 10 bits worker, 12
/// bits sequence. Pure: the time comes in, an answer goes out.

namespace onceward::id {

/// 2024-01-01T00:00:00Z.
inline constexpr StoreTime snowflake_epoch{std::chrono::seconds{1'704'067'200}};
inline constexpr int worker_count = 1024;
inline constexpr std::uint32_t sequence_count = 4096;
/// The last millisecond that 41 bits can name, in September 2093.
inline constexpr StoreTime snowflake_end{snowflake_epoch + milliseconds{(std::int64_t{1} << 41) - 1}};

/// What an id says.
struct SnowflakeParts {
    StoreTime time;  ///< whole milliseconds
    int worker = 0;
    std::uint32_t sequence = 0;
    friend bool operator==(const SnowflakeParts&, const SnowflakeParts&) = default;
};
OperationId encode(const SnowflakeParts& parts);
SnowflakeParts decode(OperationId id);

/// A worker id with the times that no other holder of it can ever use: what a store's lease confirms.
struct WorkerGrant {
    int worker = 0;
    StoreTime from;
    StoreTime until;
    friend bool operator==(const WorkerGrant&, const WorkerGrant&) = default;
};

/// Which sequences are a generator's own: `loop`, `loop + loops`, `loop + 2 loops`, … so that the loops of a process share a
/// worker id and nothing else.
struct SequenceShare {
    std::uint32_t loop = 0;
    std::uint32_t loops = 1;  ///< 1..4096
};

/// Ask again after this long; never over `SnowflakeGenerator::patience`.
struct WaitFor {
    microseconds time{0};
};
/// No id can be had now: answer `STORE_UNAVAILABLE`.
enum class IdRefusal : std::uint8_t {
    no_lease,         ///< no worker id yet
    not_confirmed,    ///< the confirmed horizon is over: the store did not renew, or the clock went forward
    clock_went_back,  ///< by more than `patience` behind the last id, or behind the start of the lease
    out_of_range      ///< the clock stands before 2024 or after 2093
};
using NextId = std::variant<OperationId, WaitFor, IdRefusal>;

/// Ids of one event loop. Unique over all loops, processes, restarts and clocks, as long as grants are: it uses only times inside
/// its grant and never goes back.
class SnowflakeGenerator {
public:
    /// How far the clock may stand behind before ids are refused.
    static constexpr milliseconds patience{10};

    explicit SnowflakeGenerator(SequenceShare share);

    /// Extends the horizon, or changes the worker id. Grants come in the order in which the store gave them.
    void grant(const WorkerGrant& grant);

    /// `now` is this process's wall clock.
    NextId next(StoreTime now);

private:
    SequenceShare share_;
    int worker_ = -1;  // none yet
    // Milliseconds since the snowflake epoch.
    std::int64_t from_ms_ = 0;
    std::int64_t until_ms_ = -1;
    std::int64_t last_ms_ = 0;  // of the latest id; ids begin at 1, so that none is 0
    std::uint32_t next_sequence_ = sequence_count;
};

}  // namespace onceward::id
