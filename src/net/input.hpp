#pragma once

#include "net/socket.hpp"

#include <boost/asio/detail/reactor.hpp>
#include <boost/asio/detail/reactor_op.hpp>

#include <span>

namespace onceward::net {

/// Whether a read looks at the socket before it waits.
enum class Look : std::uint8_t {
    first,
    /// The socket was empty a moment ago and only the peer's next message can change that: the look would cost a system call and
    /// find nothing. A peer that ended its side together with its last message is not heard of: whoever waits so must look again
    /// some time later.
    later
};

/// What reads of one socket share.
class InputState {
public:
    explicit InputState(Socket& socket);

private:
    friend class Input;
    Socket& socket_;
    asio::detail::reactor& reactor_;
    bool drained_ = false;  ///< the last read took all there was, so that Asio waits for the next event without looking
};

/// One read of a socket that does not block; awaited once. Asio's own `async_read_some` looks each time before it waits: one
/// system call of three that a request takes is for nothing. This is the same operation on Asio's reactor, with the choice.
class Input final : public asio::detail::reactor_op {
public:
    Input(InputState& state, std::span<char> into, Look look);
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
        return suspend([this](Suspension caller) { start(std::move(caller)); }).await_suspend(handle);
    }
    /// `eof` at the end; what was read is told by `size()`.
    boost::system::error_code await_resume() const noexcept { return ec_; }
    [[nodiscard]] std::size_t size() const { return bytes_transferred_; }

private:
    void start(Suspension caller);
    static status do_perform(reactor_op* base);
    static void do_complete(void* owner, asio::detail::operation* base, const boost::system::error_code& ec, std::size_t events);

    InputState& state_;
    std::span<char> into_;
    Look look_;
    Suspension caller_;
};

}  // namespace onceward::net
