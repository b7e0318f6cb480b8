#include "virtual_clock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace {
// Not zero, so that a limit that begins with the process lies behind it.
std::int64_t now_ns = 1'000'000'000'000;
}  // namespace

void onceward::fuzz::let_pass(milliseconds time) {
    now_ns += std::chrono::nanoseconds(time).count();
}

// In the place of the C library's, for std::chrono too.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE) {
        return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
    }
    now->tv_sec = now_ns / 1'000'000'000;
    now->tv_nsec = now_ns % 1'000'000'000;
    return 0;
}
