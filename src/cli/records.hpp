#pragma once

#include "cli/arguments.hpp"

namespace onceward::cli {

/// `records list`, `show`, `release` and `resolve`; gives the exit code. What was asked for goes to standard output, all else to
/// standard error.
int execute_records(const Invocation& invocation);

}  // namespace onceward::cli
