#include "proxy/peer.hpp"

#include "onceward/http/trusted_proxies.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstring>

namespace onceward::proxy {

Peer peer_at(asio::ip::address address, const std::vector<config::Cidr>& trusted) {
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    }
    Peer peer;
    peer.address = address.to_string();
    const auto bytes =
        (address.is_v4() ? asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()) : address.to_v6()).to_bytes();
    if (http::is_in_any(trusted, bytes)) {
        peer.trust = http::PeerTrust::trusted;
    }
    return peer;
}

Peer peer_of(const net::Socket& socket, const std::vector<config::Cidr>& trusted) {
    boost::system::error_code ec;
    const auto generic = socket.remote_endpoint(ec);
    const auto family = generic.protocol().family();
    if (ec || (family != AF_INET && family != AF_INET6)) {
        Peer peer;
        peer.trust = trusted.empty() || ec ? http::PeerTrust::untrusted : http::PeerTrust::trusted;
        return peer;
    }
    asio::ip::tcp::endpoint endpoint;
    endpoint.resize(generic.size());
    std::memcpy(endpoint.data(), generic.data(), generic.size());
    return peer_at(endpoint.address(), trusted);
}

}  // namespace onceward::proxy
