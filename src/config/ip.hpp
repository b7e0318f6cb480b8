#pragma once

#include "onceward/base/ip.hpp"
#include "onceward/config/options.hpp"

#include <string>

namespace onceward::config {

using base::IpBytes;
using base::is_ipv4;
using base::parse_ipv4;
using base::parse_ipv6;

/// `10.0.0.0/8`, `fd00::/8`; IPv6 in full, without `::`.
std::string to_text(const Cidr& network);

}  // namespace onceward::config
