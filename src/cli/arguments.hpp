#pragma once

#include <string>
#include <variant>

namespace onceward::cli {

enum class Command { run, check, config, schema, version };

/// What was asked for.
struct Invocation {
    Command command = Command::run;
    std::string file;  ///< the configuration, for `run`, `check` and `config`
};

/// Nothing is to be done: help was asked for, or the command line is wrong.
struct Usage {
    int exit_code = 0;
    std::string text;  ///< for standard output where the code is 0, else for standard error
};

std::variant<Invocation, Usage> parse_arguments(int argc, const char* const* argv);

}  // namespace onceward::cli
