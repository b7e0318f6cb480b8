#pragma once

#include "onceward/base/time.hpp"

namespace onceward::base {

/// This host's wall clock. For dates in answers, operation ids, and as a stand-in for a store's clock before its first word;
/// never for leases or retention.
StoreTime wall_clock();

}  // namespace onceward::base
