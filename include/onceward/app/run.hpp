#pragma once

#include "onceward/config/options.hpp"

namespace onceward::app {

/// Runs the proxy until a signal ends it. `options` are validated. Gives the process's exit code: 0 after a stop, also one whose
/// grace ran out; 1 when it could not start.
int run(const config::Options& options);

}  // namespace onceward::app
