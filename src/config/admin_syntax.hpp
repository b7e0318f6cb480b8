#pragma once

#include "config/syntax.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// `off`, an address, or a mapping `{address, token_file}`.
Syntax<std::optional<Admin>> admin();

}  // namespace onceward::config
