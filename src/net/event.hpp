#pragma once

#include "net/deadline.hpp"
#include "net/socket.hpp"

#include <boost/asio/post.hpp>

#include <optional>

namespace onceward::net {

/// Wakes the one coroutine that waits on it, or the next that will. Set any number of times before it is waited on, it wakes
/// once. Of one event loop. Must outlive a wait.
class Event final : private Timed {
public:
    explicit Event(asio::io_context& loop) : loop_(loop) {}

    /// Wakes the waiter from the loop, never from inside this call.
    void set() {
        set_ = true;
        wake();
    }

    /// Returns once the event is set; resets it.
    [[nodiscard]] auto wait() {
        return asio::async_initiate<const Token&, void(boost::system::error_code)>(
            [this](auto handler) { suspend(std::move(handler)); }, token);
    }
    /// Like `wait`, until `deadline` at the latest. Whether it was set is told by `take()`.
    [[nodiscard]] auto wait_until(Deadlines& deadlines, Deadline deadline) {
        deadlines.set(*this, deadline);
        return wait();
    }
    /// Whether the event was set since the last `take`; call it after a wait.
    bool take() {
        Deadlines::clear(*this);
        return std::exchange(set_, false);
    }

private:
    using Token = asio::use_awaitable_t<Executor>;
    using Handler = asio::async_result<Token, void(boost::system::error_code)>::handler_type;
    static constexpr Token token{};

    void suspend(Handler handler) {
        handler_.emplace(std::move(handler));
        if (set_) {
            wake();
        }
    }
    void wake() {
        if (handler_) {
            auto handler = std::move(*handler_);
            handler_.reset();
            asio::post(loop_.get_executor(), [h = std::move(handler)]() mutable { std::move(h)(boost::system::error_code{}); });
        }
    }
    void on_deadline() override { wake(); }

    asio::io_context& loop_;
    std::optional<Handler> handler_;
    bool set_ = false;
};

}  // namespace onceward::net
