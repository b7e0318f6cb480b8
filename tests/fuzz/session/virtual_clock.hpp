#pragma once

#include "onceward/base/time.hpp"

namespace onceward::fuzz {

/// Lets time pass for everything in this process that asks the monotonic clock: it stands still but for this. Executables that
/// link it never wait for a time limit.
void let_pass(milliseconds time);

}  // namespace onceward::fuzz
