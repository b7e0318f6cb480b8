#pragma once

#include "config/key_table.hpp"
#include "onceward/config/options.hpp"

/// @file
/// The keys of the configuration file, as the specification lists them.

namespace onceward::config {

/// Of the file itself. `defaults` and `routes` are read by `load_routes`, which needs both.
const Table<Options>& option_keys();
/// Of an entry of `routes`.
const Table<Route>& route_keys();
/// Of `defaults`: any key of a route but its name and path.
const Table<Route>& default_keys();

}  // namespace onceward::config
