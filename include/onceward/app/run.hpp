#pragma once

#include "onceward/config/load.hpp"

#include <string>

namespace onceward::app {

/// Runs the proxy until a signal ends it. `configuration` is what `file` was loaded as, without errors; the file is read again
/// when it changes and at SIGHUP. Gives the process's exit code: 0 after a stop, also one whose grace ran out; 1 when it could
/// not start.
int run(const std::string& file, config::Loaded configuration);

}  // namespace onceward::app
