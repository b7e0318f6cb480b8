#include "net/peer_text.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <sys/socket.h>

#include <cstring>

namespace onceward::net {

namespace {

std::string unix_peer(Socket& socket) {
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
        return "unix";
    }
    return "uid=" + std::to_string(who.uid) + " pid=" + std::to_string(who.pid);
}

}  // namespace

std::string peer_text(Socket& socket) {
    boost::system::error_code ec;
    if (socket.local_endpoint(ec).protocol().family() == AF_UNIX) {
        return unix_peer(socket);
    }
    const auto generic = socket.remote_endpoint(ec);
    if (ec) {
        return "gone";
    }
    asio::ip::tcp::endpoint endpoint;
    endpoint.resize(generic.size());
    std::memcpy(endpoint.data(), generic.data(), generic.size());
    const auto host = endpoint.address().to_string();
    return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port());
}

}  // namespace onceward::net
