#pragma once

#include "onceward/base/task.hpp"

namespace onceward::proxy {

struct Loop;

/// Starts a coroutine of the loop that nobody waits for; on the loop's thread, or before it runs. An exception that escapes it is
/// logged and ends that coroutine alone.
void spawn(Loop& loop, Task<> task);

}  // namespace onceward::proxy
