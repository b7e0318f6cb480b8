#include "onceward/base/clock.hpp"

#include <ctime>

namespace onceward::base {

StoreTime wall_clock() {
    return StoreTime{std::chrono::floor<microseconds>(std::chrono::system_clock::now().time_since_epoch())};
}

Deadline coarse_now() {
    timespec now{};
    // steady_clock is CLOCK_MONOTONIC, whose coarse form has the same zero.
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return Deadline{seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
}

}  // namespace onceward::base
