#pragma once

#include "net/deadline.hpp"
#include "net/input.hpp"
#include "net/socket.hpp"
#include "onceward/crypto/tls_engine.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <array>
#include <memory>
#include <string_view>

namespace onceward::net {

/// How a connection failed that is carried by TLS.
enum class TlsErrc {
    failed = 1,  ///< `Stream::tls()->failure()` says why
    cut          ///< the socket ended and the peer had not said that nothing more comes: what was read may lack its end
};
boost::system::error_code make_error_code(TlsErrc errc);

/// A connection with its input buffer and its one time limit. Of one event loop.
///
/// From `secure` on it speaks TLS, and everything here is about the content that TLS carries; an end is only one that the peer
/// has said. Without it TLS costs a look at one pointer.
///
/// One read and one write may be under way at the same time. A time limit that is hit cancels both; `timed_out()` then tells.
/// What begins to wait behind that, before there is a new limit or none, is cancelled as well: the limit may be hit when what was
/// under way has just come through and its coroutine has not gone on yet.
class Stream final : private Timed {
public:
    using Buffers = std::array<asio::const_buffer, 3>;

    Stream(Socket socket, Deadlines& deadlines);
    ~Stream() override;

    [[nodiscard]] Socket& socket() { return socket_; }
    [[nodiscard]] const Socket& socket() const { return socket_; }
    /// Sets the options of a socket that was just connected.
    void configure();
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }

    /// Speaks TLS from here on; what is buffered is the first of it. `handshake` comes next.
    void secure(std::unique_ptr<crypto::TlsEngine> tls);
    Task<boost::system::error_code> handshake();
    /// Nothing while it does not speak TLS.
    [[nodiscard]] const crypto::TlsEngine* tls() const { return tls_.get(); }
    /// Goes on without TLS, after a handshake that failed.
    void drop_tls() { tls_.reset(); }

    /// Bytes read and not yet consumed.
    [[nodiscard]] std::string_view buffered() const { return {static_cast<const char*>(input_.cdata().data()), input_.size()}; }
    void consume(std::size_t n) { input_.consume(n); }
    /// Appends to what is buffered. An error, `eof` included, is final.
    Task<boost::system::error_code> fill(std::size_t at_most = read_size, Look look = Look::first) {
        return tls_ ? fill_secure(at_most, look) : fill_plain(at_most, look);
    }
    /// Gives the buffer's memory back when nothing is in it and it has grown.
    void shrink();

    struct Written {
        boost::system::error_code ec;  ///< none when all was written; `would_block` from `write_now` when the socket is full
        std::size_t bytes = 0;  ///< what the socket took; with TLS, of records that it took whole, or in part before an error
    };
    /// Writes as much as the socket takes now. What it did not take is written next, and nothing else.
    Written write_now(const Buffers& buffers) { return tls_ ? write_now_secure(buffers) : write_now_plain(buffers); }
    /// Writes all.
    Task<Written> write(Buffers buffers) { return tls_ ? write_secure(buffers) : write_plain(buffers); }
    Task<Written> write(std::string_view bytes);

    void expires_after(milliseconds limit) {
        timed_out_ = cancelled_ = false;
        deadlines_.set(*this, limit);
    }
    void expires_at(Deadline deadline) {
        timed_out_ = cancelled_ = false;
        deadlines_.set(*this, deadline);
    }
    void never_expires() {
        cancelled_ = false;
        Deadlines::clear(*this);
    }
    [[nodiscard]] bool timed_out() const { return timed_out_; }

    /// Bytes that the socket took and the peer has not taken yet.
    [[nodiscard]] std::size_t unacknowledged();

    /// Ends operations under way with `operation_aborted`, and what begins to wait before a limit is set or cleared.
    void cancel();
    void close();
    /// Closes once the socket has taken the word that nothing more comes, where TLS has one: what it carried is known to be
    /// whole.
    Task<> finish();
    /// Resets the connection: the peer can't take what it got for a whole message.
    void reset();
    /// Says that nothing more comes, and goes on reading.
    Task<> shutdown_send();

    /// True when a look shows neither input nor an end: an idle pooled connection that may be used. What TLS itself has to say
    /// (tickets of sessions, new keys) is taken in and is no input; a record of which only a part is there is.
    [[nodiscard]] bool is_quiet() { return tls_ && !reading_ ? is_quiet_secure() : is_quiet_plain(); }

    /// Whether a look shows that the peer ended its side of the socket or reset it, also behind input that was not read yet.
    [[nodiscard]] bool peer_has_ended();

    static constexpr std::size_t read_size = 8192;

private:
    void on_deadline() override;
    Task<boost::system::error_code> fill_plain(std::size_t at_most, Look look);
    Written write_now_plain(const Buffers& buffers);
    Task<Written> write_plain(Buffers buffers);
    [[nodiscard]] bool is_quiet_plain();

    Task<boost::system::error_code> fill_secure(std::size_t at_most, Look look);
    Task<boost::system::error_code> receive(std::size_t at_most, Look look);
    Written write_now_secure(const Buffers& buffers);
    Task<Written> write_secure(Buffers buffers);
    [[nodiscard]] bool is_quiet_secure();
    std::size_t encrypt(const Buffers& buffers);
    boost::system::error_code flush();
    Task<boost::system::error_code> flush_all();
    Task<boost::system::error_code> wait_writable();
    void say_end();

    Socket socket_;
    InputState input_state_;
    Deadlines& deadlines_;
    boost::beast::flat_buffer input_;
    std::unique_ptr<crypto::TlsEngine> tls_;
    std::size_t encrypted_ = 0;  ///< content in records that the socket has not taken whole
    bool reading_ = false;       ///< TLS waits for the socket
    bool timed_out_ = false;
    bool cancelled_ = false;  ///< what would wait ends instead
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

template <>
struct boost::system::is_error_code_enum<onceward::net::TlsErrc> : std::true_type {};
