#pragma once

#include "net/socket.hpp"
#include "onceward/config/options.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace onceward::net {

using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol, Executor>;

/// Who may connect to a unix socket.
enum class SocketAccess : std::uint8_t {
    umask,      ///< whom the process's umask lets
    owner_only  ///< this user, and root
};

/// Opens one listening socket for each loop on the same address. On TCP the kernel spreads connections over them; a second
/// process on the port is refused all the same, for the first socket is bound before it is made shareable. On a unix path all
/// loops accept from one socket; a dead socket file is replaced, a live one is an error. Throws `boost::system::system_error`
/// with the address in its text.
std::vector<Acceptor> open_listeners(const std::vector<asio::io_context*>& loops, const config::Address& address,
                                     SocketAccess access = SocketAccess::umask);

}  // namespace onceward::net
