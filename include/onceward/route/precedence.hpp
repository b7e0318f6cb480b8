#pragma once

#include "onceward/config/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace onceward::route {

/// What another list of routes makes of the targets that two routes take.
struct Shift {
    enum class Kind : std::uint8_t {
        taken,      ///< another route guards the target now: a key there names another record
        unguarded,  ///< no route guards it any more
        rebound     ///< the same route, but a `{name}` of its path that its key or scope reads is another segment
    };
    Kind kind = Kind::taken;
    std::string method;  ///< with `path` an example of such a target, in normal form
    std::string path;
    std::string before;  ///< the route that guarded it
    std::string after;   ///< the route that guards it now; empty for `unguarded`
};

/// What changes for requests that `before` guards, under `after`: one shift for each kind and pair of routes. Exact: not a
/// comparison of the patterns' texts, but of what they take. Pure.
std::vector<Shift> shifts(const std::vector<config::Route>& before, const std::vector<config::Route>& after);

}  // namespace onceward::route
