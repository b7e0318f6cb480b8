#include "net/keep_alive.hpp"

#include <netinet/tcp.h>

namespace onceward::net {

namespace {
using SilentSeconds = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
using IntervalSeconds = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
using Questions = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
}  // namespace

void keep_alive(Socket& socket) {
    boost::system::error_code ignored;
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    socket.set_option(SilentSeconds(60), ignored);
    socket.set_option(IntervalSeconds(15), ignored);
    socket.set_option(Questions(4), ignored);
}

}  // namespace onceward::net
