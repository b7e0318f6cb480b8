#pragma once

#include "config/syntax.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// An address, a mapping `{address, tls, proxy_protocol}`, or a list of these.
Syntax<std::vector<Listener>> listeners();

/// Gives `next` the listeners that run: their places and what they speak are read at the start alone, while the certificates of
/// one that speaks TLS are those of `next`.
void keep_listeners(const Options& running, Options& next);

}  // namespace onceward::config
