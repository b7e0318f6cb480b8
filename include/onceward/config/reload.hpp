#pragma once

#include "onceward/base/time.hpp"
#include "onceward/config/options.hpp"

#include <cstddef>
#include <optional>
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
    /// What is guarded no longer, and what is guarded again in another way than before, a sentence each.
    std::vector<std::string> warnings;
    [[nodiscard]] bool same() const { return live.empty() && at_start.empty(); }
};

/// Routes that a process went by earlier, all of that time in their order. They guarded targets that nothing guards now, and of
/// which keys are still remembered.
struct FormerRoutes {
    std::vector<Route> routes;
    Deadline until;  ///< when the last of those keys is forgotten
};

/// Compares `next` with what the process runs by. Both are validated. Where `former` guarded what nothing guards now, and `next`
/// guards it again in a way that does not find those keys, it is a warning and not refused: requests went by unguarded since.
/// Pure.
Comparison compare(const Options& running, const Options& next, const std::vector<FormerRoutes>& former = {});

/// `former` after the process has taken `next` in place of `running` at `now`: with `running`, if that guarded more; without what
/// is guarded again or forgotten. The latest `former_routes_max` of them. Pure.
std::vector<FormerRoutes> retire(std::vector<FormerRoutes> former, const Options& running, const Options& next, Deadline now);
inline constexpr std::size_t former_routes_max = 8;

/// What of a configuration decides which record a key names, as text that outlives the process.
std::string identity_text(const Options& options);
/// What `next` makes of keys that are remembered from a process that went by `former`, a text of `identity_text`: a sentence
/// each. Nothing when the text can't be read, such as one of a later version. Pure.
std::optional<std::vector<std::string>> identity_changes_since(const std::string& former, const Options& next);

/// What the process goes by after it has taken `next`: `next`, but for the keys that only a start reads.
Options taken_live(const Options& running, Options next);

}  // namespace onceward::config
