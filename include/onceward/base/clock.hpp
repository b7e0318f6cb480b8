#pragma once

#include "onceward/base/time.hpp"

namespace onceward::base {

/// This host's wall clock. For dates in answers, operation ids, and as a stand-in for a store's clock before its first word;
/// never for leases or retention.
StoreTime wall_clock();

/// The monotonic clock as the kernel last wrote it down: up to `coarse_lag` behind `std::chrono::steady_clock`, at a sixth of its
/// price.
Deadline coarse_now();
inline constexpr milliseconds coarse_lag{10};

}  // namespace onceward::base
