#pragma once

#include "net/socket.hpp"
#include "onceward/config/options.hpp"

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string>

namespace onceward::store::redis {

/// Why a connection could not be opened, in words for the log. Empty: it was.
using DialFailure = std::string;

/// Opens connections to the configured server: resolves, connects, logs in. Of one event loop; one call at a time.
class Dialer {
public:
    Dialer(asio::io_context& loop, config::RedisOptions options);

    /// Leaves `socket` connected, logged in and in the right database.
    Task<DialFailure> dial(net::Socket& socket);
    /// Of the next log-in.
    void set_password(const std::string& password) { options_.password = password; }
    /// Ends a `dial` under way soon, with a failure.
    void cancel(net::Socket& socket);

private:
    Task<boost::system::error_code> connect(net::Socket& socket);
    Task<boost::system::error_code> connect_to(net::Socket& socket, asio::generic::stream_protocol::endpoint endpoint);
    Task<DialFailure> log_in(net::Socket& socket) const;

    config::RedisOptions options_;
    asio::ip::basic_resolver<asio::ip::tcp, net::Executor> resolver_;
};

}  // namespace onceward::store::redis
