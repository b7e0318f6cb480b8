#pragma once

#include "net/socket.hpp"
#include "onceward/config/options.hpp"
#include "onceward/http/forward.hpp"

#include <boost/asio/ip/address.hpp>

#include <string>
#include <vector>

namespace onceward::proxy {

/// Who is at the other end of a client connection.
struct Peer {
    std::string address;  ///< IP address; empty for a unix socket
    http::PeerTrust trust = http::PeerTrust::untrusted;
};

/// A peer on a unix socket is trusted as soon as there is any trusted proxy: only a process of this host can be one.
Peer peer_of(const net::Socket& socket, const std::vector<config::Cidr>& trusted);
/// The same of a client that a load balancer names.
Peer peer_at(asio::ip::address address, const std::vector<config::Cidr>& trusted);

}  // namespace onceward::proxy
