#include "store/redis/dialer.hpp"

#include "store/redis/command.hpp"
#include "store/redis/error_reply.hpp"
#include "store/redis/resp.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include <netinet/tcp.h>

#include <array>
#include <string>
#include <utility>

namespace onceward::store::redis {

namespace {

/// A peer that vanished without a word is noticed after about a minute also on an idle connection.
void configure(net::Socket& socket) {
    using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
    using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
    constexpr int idle_seconds = 30;
    constexpr int interval_seconds = 10;
    boost::system::error_code ec;
    socket.non_blocking(true, ec);
    if (socket.local_endpoint(ec).protocol().family() != AF_UNIX) {
        socket.set_option(asio::ip::tcp::no_delay(true), ec);
        socket.set_option(asio::socket_base::keep_alive(true), ec);
        socket.set_option(Idle(idle_seconds), ec);
        socket.set_option(Interval(interval_seconds), ec);
    }
}

struct LogIn {
    std::string commands;
    int count = 0;
};

/// A client without user is the default one; Redis before ACLs knew no other form.
LogIn log_in_of(const config::RedisOptions& options) {
    LogIn result;
    if (!options.password.empty()) {
        if (options.user.empty()) {
            append_command(result.commands, {"AUTH", options.password});
        } else {
            append_command(result.commands, {"AUTH", options.user, options.password});
        }
        ++result.count;
    }
    if (options.database != 0) {
        append_command(result.commands, {"SELECT", std::to_string(options.database)});
        ++result.count;
    }
    // A server that hangs accepts connections all the same: what is sent before it has answered may be carried out much later.
    append_command(result.commands, {"PING"});
    ++result.count;
    return result;
}

}  // namespace

Dialer::Dialer(asio::io_context& loop, config::RedisOptions options)
    : options_(std::move(options)), resolver_(loop.get_executor()) {}

void Dialer::cancel(net::Socket& socket) {
    resolver_.cancel();
    boost::system::error_code ec;
    socket.close(ec);
}

Task<DialFailure> Dialer::dial(net::Socket& socket) {
    const auto ec = co_await connect(socket);
    if (ec) {
        co_return ec.message();
    }
    configure(socket);
    auto failure = co_await log_in(socket);
    if (!failure.empty()) {
        boost::system::error_code ignored;
        socket.close(ignored);
        co_return failure;
    }
    co_return DialFailure{};
}

Task<boost::system::error_code> Dialer::connect_to(net::Socket& socket, asio::generic::stream_protocol::endpoint endpoint) {
    boost::system::error_code ec;
    socket.close(ec);
    const auto [failed] = co_await socket.async_connect(endpoint, net::use_task);
    co_return failed;
}

Task<boost::system::error_code> Dialer::connect(net::Socket& socket) {
    const auto& address = options_.address;
    boost::system::error_code ec;
    if (address.is_unix()) {
        ec = co_await connect_to(socket, asio::local::stream_protocol::endpoint(address.unix_path));
        co_return ec;
    }
    const auto ip = asio::ip::make_address(address.host, ec);
    if (!ec) {
        ec = co_await connect_to(socket, asio::ip::tcp::endpoint(ip, address.port));
        co_return ec;
    }
    const auto [failed, found] = co_await resolver_.async_resolve(address.host, std::to_string(address.port), net::use_task);
    ec = failed;
    for (const auto& entry : found) {
        ec = co_await connect_to(socket, entry.endpoint());
        if (!ec || ec == asio::error::operation_aborted) {
            break;
        }
    }
    co_return ec;
}

Task<DialFailure> Dialer::log_in(net::Socket& socket) const {
    const auto log_in = log_in_of(options_);
    const auto [unsent, written] = co_await asio::async_write(socket, asio::buffer(log_in.commands), net::use_task);
    if (unsent) {
        co_return unsent.message();
    }
    ReplyReader reader;
    std::array<char, 512> input{};
    for (int seen = 0; seen < log_in.count;) {
        const auto [ec, size] = co_await socket.async_read_some(asio::buffer(input), net::use_task);
        if (ec) {
            co_return ec.message();
        }
        reader.feed({input.data(), size});
        while (const auto* reply = reader.next()) {
            const bool is_ping = seen + 1 == log_in.count;
            // A user who may not ask has been answered as well.
            if (reply->is_error() && !(is_ping && classify(reply->value().text).errc == StoreErrc::rejected)) {
                co_return std::string(reply->value().text);
            }
            ++seen;
        }
        if (reader.is_broken()) {
            co_return DialFailure{"not a Redis server"};
        }
    }
    co_return DialFailure{};
}

}  // namespace onceward::store::redis
