#pragma once

#include "cli/arguments.hpp"

namespace onceward::cli {

/// Does what was asked for; gives the exit code.
int execute(const Invocation& invocation);

}  // namespace onceward::cli
