#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace onceward::base {

/// IPv4 stands as IPv4-mapped IPv6.
using IpBytes = std::array<std::uint8_t, 16>;

/// Dotted decimal with four numbers, none with a leading zero.
std::optional<IpBytes> parse_ipv4(std::string_view text);
/// RFC 4291 section 2.2, without a zone.
std::optional<IpBytes> parse_ipv6(std::string_view text);
bool is_ipv4(const IpBytes& ip);

}  // namespace onceward::base
