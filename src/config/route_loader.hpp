#pragma once

#include "config/report.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// Reads `defaults` and `routes` of the document's root into `options.routes`, and checks each route as a whole. The rest of
/// `options` has been read.
void load_routes(const Cursor& root, Options& options);

}  // namespace onceward::config
