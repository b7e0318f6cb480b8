#pragma once

#include "net/deadline.hpp"
#include "net/input.hpp"
#include "net/socket.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <array>
#include <string_view>

namespace onceward::net {

/// A connection with its input buffer and its one time limit. Of one event loop.
///
/// One read and one write may be under way at the same time. A time limit that is hit cancels both; `timed_out()` then tells.
class Stream final : private Timed {
public:
    using Buffers = std::array<asio::const_buffer, 3>;

    Stream(Socket socket, Deadlines& deadlines);

    [[nodiscard]] Socket& socket() { return socket_; }
    [[nodiscard]] const Socket& socket() const { return socket_; }
    /// Sets the options of a socket that was just connected.
    void configure();
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }

    /// Bytes read and not yet consumed.
    [[nodiscard]] std::string_view buffered() const { return {static_cast<const char*>(input_.cdata().data()), input_.size()}; }
    void consume(std::size_t n) { input_.consume(n); }
    /// Appends to what is buffered. An error, `eof` included, is final.
    Task<boost::system::error_code> fill(std::size_t at_most = read_size, Look look = Look::first);
    /// Gives the buffer's memory back when nothing is in it and it has grown.
    void shrink();

    struct Written {
        boost::system::error_code ec;  ///< none when all was written; `would_block` from `write_now` when the socket is full
        std::size_t bytes = 0;         ///< what the socket took
    };
    /// Writes as much as the socket takes now.
    Written write_now(const Buffers& buffers);
    /// Writes all.
    Task<Written> write(Buffers buffers);
    Task<Written> write(std::string_view bytes);

    void expires_after(milliseconds limit) {
        timed_out_ = false;
        deadlines_.set(*this, limit);
    }
    void expires_at(Deadline deadline) {
        timed_out_ = false;
        deadlines_.set(*this, deadline);
    }
    void never_expires() { Deadlines::clear(*this); }
    [[nodiscard]] bool timed_out() const { return timed_out_; }

    /// Ends operations under way with `operation_aborted`.
    void cancel();
    void close();
    /// Resets the connection: the peer can't take what it got for a whole message.
    void reset();
    void shutdown_send();

    /// True when a peek shows neither input nor an end: an idle pooled connection that may be used.
    [[nodiscard]] bool is_quiet();

    static constexpr std::size_t read_size = 8192;

private:
    void on_deadline() override;

    Socket socket_;
    InputState input_state_;
    Deadlines& deadlines_;
    boost::beast::flat_buffer input_;
    bool timed_out_ = false;
};

/// Bytes of all three.
inline std::size_t size_of(const Stream::Buffers& buffers) {
    return buffers[0].size() + buffers[1].size() + buffers[2].size();
}
/// What is left of them behind the first `skip` bytes.
Stream::Buffers after(const Stream::Buffers& buffers, std::size_t skip);
inline asio::const_buffer buffer_of(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}

}  // namespace onceward::net
