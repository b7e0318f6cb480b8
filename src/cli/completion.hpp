#pragma once

#include <string>
#include <string_view>
#include <vector>

/// @file
/// Scripts that complete the command line in a shell, made from what it is parsed by. Pure.

namespace onceward::cli {

struct Candidate {
    std::string word;
    std::string meaning;
};

/// An option that takes a value.
struct ValueOption {
    std::vector<std::string> names;  ///< `-c`, `--config`
    std::string meaning;
    bool is_file = false;
    std::vector<std::string> values;  ///< all there are; empty: any
};

/// What can follow one command. `place` is its way down: `/records/list`; empty at the top.
struct CommandPlace {
    std::string place;
    std::vector<Candidate> commands;
    std::vector<Candidate> flags;  ///< options without a value
    std::vector<ValueOption> options;
    std::vector<std::string> words;  ///< that may stand for itself, where they are known
};

std::string bash_completion(const std::vector<CommandPlace>& places);
std::string zsh_completion(const std::vector<CommandPlace>& places);
std::string fish_completion(const std::vector<CommandPlace>& places);

}  // namespace onceward::cli
