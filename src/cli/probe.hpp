#pragma once

#include "cli/arguments.hpp"

namespace onceward::cli {

/// `healthcheck` asks `/readyz` once, `wait` until it says ready or the time is over; both give the exit code.
int execute_healthcheck(const Invocation& invocation);
int execute_wait(const Invocation& invocation);

}  // namespace onceward::cli
