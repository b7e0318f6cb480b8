#include "net/stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

/// @file
/// The half of a stream that speaks TLS: between the socket and the engine, whose buffers hold what is on its way.

namespace onceward::net {

namespace {

/// Content that is put into records before the socket has taken what is there.
constexpr std::size_t piece_bytes = 64 * 1024;
/// A peer that makes TLS answer and reads nothing of it is given up beyond this.
constexpr std::size_t outgoing_max = 256 * 1024;
/// Room for what surrounds a piece of content.
constexpr std::size_t record_extra = 512;
/// Looks that a connection may take to become quiet: a few tickets come in one or two.
constexpr int looks_max = 16;

// Boost's base class has no virtual destructor; a category is never destroyed through it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class TlsCategory final : public boost::system::error_category {  // NOLINT(cppcoreguidelines-virtual-class-destructor)
public:
    [[nodiscard]] const char* name() const noexcept override { return "tls"; }
    [[nodiscard]] std::string message(int value) const override {
        return value == static_cast<int>(TlsErrc::cut) ? "the connection ended without the end that TLS says"
                                                       : "TLS failed on the connection";
    }
};
#pragma GCC diagnostic pop

bool is_full(const boost::system::error_code& ec) {
    return ec == asio::error::would_block || ec == asio::error::try_again;
}

std::span<char> span_of(const asio::mutable_buffer& buffer) {
    return {static_cast<char*>(buffer.data()), buffer.size()};
}

}  // namespace

boost::system::error_code make_error_code(TlsErrc errc) {
    static const TlsCategory category;
    return {static_cast<int>(errc), category};
}

void Stream::secure(std::unique_ptr<crypto::TlsEngine> tls) {
    tls_ = std::move(tls);
    const auto first = buffered();
    const auto room = tls_->room(first.size());
    std::copy(first.begin(), first.end(), room.begin());
    tls_->arrived(first.size());
    consume(first.size());
}

Task<boost::system::error_code> Stream::handshake() {
    for (;;) {
        const auto step = tls_->handshake();
        if (step == crypto::TlsEngine::Step::failed) {
            flush();  // the alert
            co_return TlsErrc::failed;
        }
        const auto failed = co_await flush_all();
        if (failed || step == crypto::TlsEngine::Step::done) {
            co_return failed;
        }
        const auto ec = co_await receive(read_size, Look::first);
        if (ec) {
            co_return ec;
        }
    }
}

/// Hands bytes of the socket to the engine.
Task<boost::system::error_code> Stream::receive(std::size_t at_most, Look look) {
    if (cancelled_) {
        co_return asio::error::operation_aborted;
    }
    Input input(input_state_, tls_->room(at_most + record_extra), look);
    reading_ = true;
    auto ec = co_await input;
    reading_ = false;
    tls_->arrived(input.size());
    if (ec == asio::error::eof) {
        ec = TlsErrc::cut;
    }
    co_return ec;
}

Task<boost::system::error_code> Stream::fill_secure(std::size_t at_most, Look look) {
    for (;;) {
        const auto read = tls_->read(span_of(input_.prepare(at_most)));
        input_.commit(read.bytes);
        const auto failed = flush();  // what TLS itself answers; it waits where the socket is full
        if (read.bytes > 0) {
            co_return boost::system::error_code{};
        }
        if (read.step == crypto::TlsEngine::Step::ended) {
            co_return asio::error::eof;
        }
        if (read.step == crypto::TlsEngine::Step::failed || tls_->outgoing().size() > outgoing_max) {
            co_return TlsErrc::failed;
        }
        if (failed && !is_full(failed)) {
            co_return failed;
        }
        const auto ec = co_await receive(at_most, look);
        if (ec) {
            co_return ec;
        }
        look = Look::first;
    }
}

/// Sends what is outgoing, as far as the socket takes it.
boost::system::error_code Stream::flush() {
    boost::system::error_code ec;
    while (!tls_->outgoing().empty() && !ec) {
        tls_->sent(socket_.write_some(buffer_of(tls_->outgoing()), ec));
    }
    return ec;
}

Task<boost::system::error_code> Stream::flush_all() {
    for (;;) {
        const auto ec = flush();
        if (!is_full(ec)) {
            co_return ec;
        }
        const auto failed = co_await wait_writable();
        if (failed) {
            co_return failed;
        }
    }
}

Task<boost::system::error_code> Stream::wait_writable() {
    if (cancelled_) {
        co_return asio::error::operation_aborted;
    }
    const auto [failed] = co_await socket_.async_wait(asio::socket_base::wait_write, use_task);
    co_return failed;
}

/// Puts the next piece of the content into records; how much that was.
std::size_t Stream::encrypt(const Buffers& buffers) {
    std::size_t done = 0;
    for (const auto& buffer : buffers) {
        const auto size = std::min(buffer.size(), piece_bytes - done);
        if (!tls_->write({static_cast<const char*>(buffer.data()), size})) {
            return 0;
        }
        done += size;
    }
    return done;
}

Stream::Written Stream::write_now_secure(const Buffers& buffers) {
    Written result;
    const auto total = size_of(buffers);
    for (;;) {
        result.ec = flush();
        if (result.ec && !is_full(result.ec) && tls_->is_partly_sent()) {
            result.bytes += std::exchange(encrypted_, 0);  // nobody knows how much of it the peer has
        }
        if (result.ec) {
            return result;
        }
        result.bytes += std::exchange(encrypted_, 0);
        if (result.bytes >= total) {
            return result;
        }
        encrypted_ = encrypt(after(buffers, result.bytes));
        if (encrypted_ == 0) {
            result.ec = TlsErrc::failed;
            return result;
        }
    }
}

Task<Stream::Written> Stream::write_secure(Buffers buffers) {
    Written all;
    for (;;) {
        const auto some = write_now_secure(after(buffers, all.bytes));
        all.bytes += some.bytes;
        if (!is_full(some.ec)) {
            all.ec = some.ec;
            co_return all;
        }
        const auto failed = co_await wait_writable();
        if (failed) {
            all.ec = failed;
            co_return all;
        }
    }
}

/// The end, where the peer can read it: not behind a record of which it has a part.
void Stream::say_end() {
    if (socket_.is_open() && tls_->outgoing().empty()) {
        tls_->end();
        flush();
    }
}

bool Stream::is_quiet_secure() {
    for (int looks = 0; looks < looks_max; ++looks) {
        const auto read = tls_->read(span_of(input_.prepare(read_size)));
        input_.commit(read.bytes);
        if (input_.size() > 0 || read.step != crypto::TlsEngine::Step::want_input) {
            return false;
        }
        const auto room = tls_->room(read_size);
        const auto got = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return tls_->at_record_end();
        }
        if (got <= 0) {
            return false;
        }
        tls_->arrived(static_cast<std::size_t>(got));
    }
    return false;
}

}  // namespace onceward::net
