#pragma once

#include "config/syntax.hpp"
#include "onceward/config/options.hpp"

#include <filesystem>

namespace onceward::config {

/// `host:port`, `[v6]:port` or `unix:/path`; a relative path counts from `directory`.
Parsed<Address> parse_address(std::string_view text, const std::filesystem::path& directory);
/// `host`, `host:port`, `[v6]` or `[v6]:port`; `default_port` where there is none, 0: there must be one.
Parsed<Address> parse_authority(std::string_view text, std::uint16_t default_port);
/// The absolute path of a unix socket.
Parsed<Address> parse_unix_path(std::string_view text, const std::filesystem::path& directory);

/// `10.0.0.0/8`, `fd00::/8`, or one address. Bits behind the prefix are cleared.
Parsed<Cidr> parse_cidr(std::string_view text);

/// `http://host:port`, `https://host:port` or `unix:/path`.
Parsed<Upstream> parse_upstream_url(std::string_view text, const std::filesystem::path& directory);

Syntax<Address> address();
/// `off`, or an address.
Syntax<std::optional<Address>> address_or_off();
Syntax<Cidr> cidr();

}  // namespace onceward::config
