#pragma once

#include "onceward/store/sqlite_store.hpp"

#include <optional>
#include <string>

namespace onceward::store::sqlite {

/// What a file says about the clock that its times were taken from.
struct ClockMark {
    std::string boot_id;  ///< of the machine's boot that `boot` counts from; empty when the system does not tell
    microseconds boot{0};
    StoreTime store;
};

/// The store's clock of one host. It runs on CLOCK_BOOTTIME, which nobody can set, and is steered towards the wall clock by at
/// most 1 % (and 100 ms at once). So it never goes back, and a wall clock that is set, forward or back, ends no lease and no
/// retention: it is only followed slowly. All processes of one boot start from the mark in the file and so read the same clock.
/// Pure: the readings come in.
class SteeredClock {
public:
    /// Further apart than this, the wall clock was set and not corrected.
    static constexpr microseconds far = seconds{60};

    /// Of the same boot the mark is carried on; else the clock starts at the wall clock, never before the mark.
    SteeredClock(const HostTime& host, const std::string& boot_id, const std::optional<ClockMark>& mark);

    /// The time now. Steers.
    StoreTime advance(const HostTime& host);
    /// Moves up to a time that another process wrote, unless it is `far` ahead.
    void observe(StoreTime seen);

    [[nodiscard]] StoreTime latest() const { return latest_; }
    /// Store time minus CLOCK_BOOTTIME.
    [[nodiscard]] microseconds offset() const { return offset_; }
    /// How far the wall clock was ahead at the last reading.
    [[nodiscard]] microseconds wall_ahead() const { return wall_ahead_; }
    [[nodiscard]] ClockMark mark() const { return {boot_id_, last_boot_, StoreTime{last_boot_ + offset_}}; }

private:
    std::string boot_id_;
    microseconds last_boot_;
    microseconds offset_{0};
    microseconds wall_ahead_{0};
    StoreTime latest_;
};

/// Names this boot of this machine; empty when the system does not tell.
std::string read_boot_id();

}  // namespace onceward::store::sqlite
