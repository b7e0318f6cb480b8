#include "net/stream.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace onceward::net {

namespace {
/// Input buffers that grew beyond this are given back between messages: memory follows the load down.
constexpr std::size_t kept_capacity = 16 * 1024;

}  // namespace

Stream::Buffers after(const Stream::Buffers& buffers, std::size_t skip) {
    Stream::Buffers rest = buffers;
    for (auto& buffer : rest) {
        const auto n = std::min(skip, buffer.size());
        buffer += n;
        skip -= n;
    }
    return rest;
}

Stream::Stream(Socket socket, Deadlines& deadlines) : socket_(std::move(socket)), input_state_(socket_), deadlines_(deadlines) {
    if (socket_.is_open()) {
        configure();
    }
}

Stream::~Stream() {
    if (tls_) {
        say_end();
    }
}

void Stream::configure() {
    boost::system::error_code ec;
    socket_.non_blocking(true, ec);
    if (socket_.local_endpoint(ec).protocol().family() != AF_UNIX) {
        socket_.set_option(asio::ip::tcp::no_delay(true), ec);
    }
}

Task<boost::system::error_code> Stream::fill_plain(std::size_t at_most, Look look) {
    if (cancelled_) {
        co_return asio::error::operation_aborted;
    }
    const auto room = input_.prepare(at_most);
    Input input(input_state_, {static_cast<char*>(room.data()), room.size()}, look);
    const auto ec = co_await input;
    input_.commit(input.size());
    co_return ec;
}

void Stream::shrink() {
    if (input_.size() == 0 && input_.capacity() > kept_capacity) {
        input_ = boost::beast::flat_buffer{};
    }
    if (tls_) {
        tls_->shrink();
    }
}

Stream::Written Stream::write_now_plain(const Buffers& buffers) {
    Written result;
    result.bytes = socket_.write_some(buffers, result.ec);
    if (!result.ec && result.bytes < size_of(buffers)) {
        result.ec = asio::error::would_block;
    }
    return result;
}

Task<Stream::Written> Stream::write_plain(Buffers buffers) {
    const auto total = size_of(buffers);
    std::size_t done = 0;
    while (done < total) {
        const auto rest = after(buffers, done);
        boost::system::error_code ec;
        auto n = socket_.write_some(rest, ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) {
            if (cancelled_) {
                co_return Written{asio::error::operation_aborted, done};
            }
            std::tie(ec, n) = co_await socket_.async_write_some(rest, use_task);
        }
        done += n;
        if (ec) {
            co_return Written{ec, done};
        }
    }
    co_return Written{{}, done};
}

Task<Stream::Written> Stream::write(std::string_view bytes) {
    return write(Buffers{buffer_of(bytes), {}, {}});
}

std::size_t Stream::unacknowledged() {
    int bytes = 0;
    return ::ioctl(socket_.native_handle(), SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void Stream::cancel() {
    cancelled_ = true;
    boost::system::error_code ec;
    socket_.cancel(ec);
}

void Stream::close() {
    never_expires();
    if (tls_) {
        say_end();
    }
    boost::system::error_code ec;
    socket_.close(ec);
}

Task<> Stream::finish() {
    if (tls_) {
        co_await shutdown_send();
    }
    close();
}

void Stream::reset() {
    never_expires();
    boost::system::error_code ec;
    socket_.set_option(asio::socket_base::linger(true, 0), ec);
    socket_.close(ec);
}

Task<> Stream::shutdown_send() {
    if (tls_ && tls_->outgoing().empty()) {
        tls_->end();
        co_await flush_all();
    }
    boost::system::error_code ec;
    socket_.shutdown(asio::socket_base::shutdown_send, ec);
}

bool Stream::is_quiet_plain() {
    char byte = 0;
    const auto n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && input_.size() == 0;
}

bool Stream::peer_has_ended() {
    pollfd look{socket_.native_handle(), POLLRDHUP, 0};
    return ::poll(&look, 1, 0) > 0;
}

void Stream::on_deadline() {
    timed_out_ = true;
    cancel();
}

}  // namespace onceward::net
