#pragma once

#include "onceward/base/ip.hpp"
#include "onceward/config/options.hpp"
#include "onceward/http/headers.hpp"

#include <span>
#include <string>

/// @file
/// `trusted_proxies`: what is believed of the fields in which proxies say whom they speak for. Each of them has added its own
/// peer at the end, so that a member is believed when all behind it, and the peer of this connection, are of trusted networks.
/// What stands before the first that is not may be anybody's.

namespace onceward::http {

bool is_in_any(std::span<const config::Cidr> networks, const base::IpBytes& address);

/// Appends the believed members of X-Forwarded-For, with commas between; nothing where there is none.
void append_believed_addresses(std::string& out, const HeaderList& headers, std::span<const config::Cidr> trusted);
/// The same of Forwarded (RFC 7239), each told by its `for`.
void append_believed_hops(std::string& out, const HeaderList& headers, std::span<const config::Cidr> trusted);

}  // namespace onceward::http
