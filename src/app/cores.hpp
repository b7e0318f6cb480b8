#pragma once

namespace onceward::app {

/// Cores that this process may use: its CPU mask, and the cgroup's quota rounded up (spec section 4, `threads: auto`). At
/// least 1.
unsigned usable_cores();

}  // namespace onceward::app
