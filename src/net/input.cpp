#include "net/input.hpp"

#include <boost/asio/error.hpp>

#include <sys/socket.h>

#include <cerrno>

namespace onceward::net {

namespace {

/// The way to what Asio's reactor knows of a socket.
struct Opened : Socket {
    static auto& implementation(Socket& socket) { return (socket.*(&Opened::impl_)).get_implementation(); }
};

}  // namespace

InputState::InputState(Socket& socket)
    : socket_(socket), reactor_(asio::use_service<asio::detail::reactor>(socket.get_executor().context())) {}

Input::Input(InputState& state, std::span<char> into, Look look)
    : reactor_op({}, &Input::do_perform, &Input::do_complete), state_(state), into_(into), look_(look) {}

void Input::start(Suspension caller) {
    caller_ = std::move(caller);
    auto& implementation = Opened::implementation(state_.socket_);
    const bool is_open = state_.socket_.is_open();
    if (!is_open) {
        ec_ = asio::error::bad_descriptor;
    }
    // Asio looks by itself unless the last read drained the socket and no event came since.
    const bool must_look = look_ == Look::first && state_.drained_;
    if (!is_open || (must_look && do_perform(this) != not_done)) {
        state_.reactor_.post_immediate_completion(this, false);
        return;
    }
    state_.reactor_.start_op(asio::detail::reactor::read_op, implementation.socket_, implementation.reactor_data_, this, false,
                             true);
}

auto Input::do_perform(reactor_op* base) -> status {
    auto& self = *static_cast<Input*>(base);
    ssize_t got = 0;
    do {
        got = ::recv(self.state_.socket_.native_handle(), self.into_.data(), self.into_.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return not_done;
    }
    if (got < 0) {
        self.ec_.assign(errno, boost::system::system_category());
    } else if (got == 0) {
        self.ec_ = asio::error::eof;
    } else {
        self.ec_ = {};
        self.bytes_transferred_ = static_cast<std::size_t>(got);
    }
    self.state_.drained_ = got >= 0 && self.bytes_transferred_ < self.into_.size();
    return self.state_.drained_ ? done_and_exhausted : done;
}

void Input::do_complete(void* owner, asio::detail::operation* base, const boost::system::error_code& /*ec*/,
                        std::size_t /*events*/) {
    // This lives in the coroutine's frame, which may end in here.
    auto caller = std::move(static_cast<Input*>(base)->caller_);
    if (owner != nullptr) {
        caller.resume();
    }
}

}  // namespace onceward::net
