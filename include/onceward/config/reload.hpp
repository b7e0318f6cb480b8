#pragma once

#include "onceward/config/options.hpp"

#include <string>
#include <vector>

namespace onceward::config {

/// What another configuration means for a process that runs (spec section 4). Keys are named as in the file, routes by their
/// names: `limits.connections`, `routes[orders].lease`.
struct Comparison {
    std::vector<std::string> live;      ///< keys whose new value holds at once
    std::vector<std::string> at_start;  ///< keys that only a start reads: the old value goes on
    /// Why it can't be taken while the process runs, a sentence each: it would change what remembered keys mean. A restart takes
    /// it.
    std::vector<std::string> refused;
    std::vector<std::string> warnings;  ///< what is guarded no longer
    [[nodiscard]] bool same() const { return live.empty() && at_start.empty(); }
};

/// Compares `next` with what the process runs by. Both are validated. Pure.
Comparison compare(const Options& running, const Options& next);

/// What the process goes by after it has taken `next`: `next`, but for the keys that only a start reads.
Options taken_live(const Options& running, Options next);

}  // namespace onceward::config
