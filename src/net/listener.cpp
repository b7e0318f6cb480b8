#include "net/listener.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/system/system_error.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace onceward::net {

namespace {

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

/// Without the place in Asio's sources that an error code carries along: people read this.
boost::system::system_error failure(const boost::system::error_code& ec, const std::string& what) {
    return {boost::system::error_code(ec.value(), ec.category()), what};
}

asio::ip::tcp::endpoint tcp_endpoint(const config::Address& address) {
    boost::system::error_code ec;
    if (address.host.empty() || address.host == "*") {
        return {asio::ip::tcp::v6(), address.port};
    }
    auto ip = asio::ip::make_address(address.host, ec);
    if (ec && address.host == "localhost") {
        ip = asio::ip::address_v4::loopback();
    } else if (ec) {
        throw failure(ec, "listen " + config::to_text(address) + ": not an IP address");
    }
    return {ip, address.port};
}

void open_tcp(std::vector<Acceptor>& acceptors, const config::Address& address, asio::ip::tcp::endpoint endpoint) {
    const bool first = acceptors.size() == 1;
    auto& acceptor = acceptors.back();
    acceptor.open(endpoint.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    if (!first) {
        acceptor.set_option(ReusePort(true));
    }
    boost::system::error_code ec;
    acceptor.bind(endpoint, ec);
    if (ec) {
        throw failure(ec, "listen " + config::to_text(address));
    }
    if (first) {
        acceptor.set_option(ReusePort(true));
    }
    acceptor.listen(asio::socket_base::max_listen_connections);
    acceptor.non_blocking(true);
}

bool is_live(const asio::local::stream_protocol::endpoint& endpoint) {
    asio::io_context scratch;
    asio::local::stream_protocol::socket probe(scratch);
    boost::system::error_code ec;
    probe.connect(endpoint, ec);
    return !ec;
}

void open_unix(std::vector<Acceptor>& acceptors, const config::Address& address, SocketAccess access) {
    const asio::local::stream_protocol::endpoint endpoint(address.unix_path);
    auto& acceptor = acceptors.back();
    if (acceptors.size() > 1) {
        const int copy = ::dup(acceptors.front().native_handle());
        if (copy < 0) {
            throw boost::system::system_error(errno, boost::system::system_category(), "listen " + config::to_text(address));
        }
        acceptor.assign(asio::local::stream_protocol(), copy);
        acceptor.non_blocking(true);
        return;
    }
    struct stat info {};
    if (::lstat(address.unix_path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && !is_live(endpoint)) {
        ::unlink(address.unix_path.c_str());
    }
    acceptor.open(asio::local::stream_protocol());
    // The mode of the socket becomes that of its file: there is no moment in which others could connect.
    if (access == SocketAccess::owner_only && ::fchmod(acceptor.native_handle(), S_IRUSR | S_IWUSR) != 0) {
        throw boost::system::system_error(errno, boost::system::system_category(), "listen " + config::to_text(address));
    }
    boost::system::error_code ec;
    acceptor.bind(endpoint, ec);
    if (ec) {
        throw failure(ec, "listen " + config::to_text(address));
    }
    acceptor.listen(asio::socket_base::max_listen_connections);
    acceptor.non_blocking(true);
}

}  // namespace

std::vector<Acceptor> open_listeners(const std::vector<asio::io_context*>& loops, const config::Address& address,
                                     SocketAccess access) {
    std::vector<Acceptor> acceptors;
    acceptors.reserve(loops.size());
    asio::ip::tcp::endpoint endpoint;
    if (!address.is_unix()) {
        endpoint = tcp_endpoint(address);
    }
    for (auto* loop : loops) {
        acceptors.emplace_back(loop->get_executor());
        if (address.is_unix()) {
            open_unix(acceptors, address, access);
        } else {
            open_tcp(acceptors, address, endpoint);
        }
    }
    return acceptors;
}

}  // namespace onceward::net
