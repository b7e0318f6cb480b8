#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace onceward {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The clock of the store, which alone decides about leases and retention (spec section 3). Never read in
/// the process: times of this type come from a store, or are the store's estimate of its clock.
struct StoreClock {
    using rep = std::int64_t;
    using period = std::micro;
    using duration = microseconds;
    using time_point = std::chrono::time_point<StoreClock, microseconds>;
    static constexpr bool is_steady = false;
};

/// A point on the store's clock: microseconds since 1970-01-01T00:00:00Z.
using StoreTime = StoreClock::time_point;

/// This process's monotonic clock, for time limits that concern this process alone.
using Deadline = std::chrono::steady_clock::time_point;

/// Microseconds since 1970 of a store time, as stores write it.
constexpr std::int64_t to_micros(StoreTime t) {
    return t.time_since_epoch().count();
}
constexpr StoreTime from_micros(std::int64_t n) {
    return StoreTime{microseconds{n}};
}

}  // namespace onceward
