#pragma once

#include "cli/arguments.hpp"

namespace CLI {
class App;
}

namespace onceward::cli {

/// Puts every command with its options into `app`; parsing then fills `invocation`, which must outlive it.
void add_commands(CLI::App& app, Invocation& invocation);

}  // namespace onceward::cli
