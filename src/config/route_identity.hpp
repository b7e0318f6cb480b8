#pragma once

#include "onceward/config/reload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace onceward::config {

/// What another meaning of a key leads to, said behind what changed.
inline constexpr std::string_view another_record = ": a retry would name another record and could execute again";

/// A route as messages name it: `routes[orders]`.
std::string named(const std::string& route);

/// A route, and the configuration it is one of.
struct PlacedRoute {
    const Options& options;
    const Route& route;
};

/// What about a route's key or scope would be read otherwise, a sentence each; both have the same name.
std::vector<std::string> identity_changes(PlacedRoute before, PlacedRoute after);

/// Appends what about keys that were remembered under `before` is otherwise under `after`: to `refused`, and where they are
/// guarded no longer to `warnings`.
void compare_identities(const Options& before, const Options& after, Comparison& out);

}  // namespace onceward::config
