#pragma once

#include "onceward/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace onceward::cli {

enum class Command {
    run,
    check,
    config,
    schema,
    version,
    list_records,
    show_record,
    release_record,
    resolve_record,
    healthcheck,
    wait,
    decode_id,
    completion
};

inline constexpr milliseconds healthcheck_timeout{2'000};
inline constexpr milliseconds wait_timeout{60'000};
/// A list may have to go through many records.
inline constexpr milliseconds records_timeout{30'000};

enum class Output : std::uint8_t { people, json };

/// What `records` was told: which records, and what becomes of one.
struct RecordArguments {
    std::string admin;       ///< the admin listener; empty: the configuration's, or the default one
    std::string token_file;  ///< empty: the configuration's
    std::string id;          ///< whole, or its first digits
    std::string route;
    std::vector<std::string> keys;
    std::vector<std::string> scopes;
    std::string state;
    std::string older_than;
    std::uint32_t limit = 100;
    std::string outcome;
    std::optional<int> status;
    std::vector<std::string> headers;
    std::string body_file;  ///< `-`: standard input
    bool yes = false;
    bool force = false;
    bool body = false;
};

/// What was asked for.
struct Invocation {
    Command command = Command::run;
    std::string file;  ///< the configuration
    RecordArguments records;
    std::string health;             ///< the health listener; empty: the configuration's, or the default one
    milliseconds timeout{0};        ///< of `healthcheck`, `wait` and each question of `records`; 0: not given
    std::int64_t operation_id = 0;  ///< of `id decode`
    std::string shell;              ///< of `completion`: bash, zsh or fish
    Output output = Output::people;
};

/// Nothing is to be done: help was asked for, or the command line is wrong.
struct Usage {
    int exit_code = 0;
    std::string text;  ///< for standard output where the code is 0, else for standard error
};

std::variant<Invocation, Usage> parse_arguments(int argc, const char* const* argv);

/// A script that completes the words of the command line in this shell: made from what `parse_arguments` parses by.
std::string completion_script(const std::string& shell);

}  // namespace onceward::cli
