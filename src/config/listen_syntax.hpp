#pragma once

#include "config/syntax.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// An address, a mapping `{address, tls, proxy_protocol}`, or a list of these.
Syntax<std::vector<Listener>> listeners();

}  // namespace onceward::config
