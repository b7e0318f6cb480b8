#pragma once

#include "config/key_table.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// `null`, or a mapping `{certificate, key, client_ca}`. Its files are read, and what can't be used is told with its place.
Syntax<std::optional<ListenerTls>> listener_tls();

/// A mapping `{ca, certificate, key, server_name, verify}`, likewise.
Syntax<UpstreamTls> upstream_tls();

}  // namespace onceward::config
