#pragma once

#include "net/deadline.hpp"
#include "net/spawn.hpp"

namespace onceward::net {

/// Wakes the one coroutine that waits on it, or the next that will. Set any number of times before it is waited on, it wakes
/// once. Of one event loop. Must outlive a wait.
class Event final : private Timed {
public:
    explicit Event(boost::asio::io_context& loop) : loop_(loop) {}

    /// Wakes the waiter from the loop, never from inside this call.
    void set() {
        set_ = true;
        wake();
    }

    /// Returns once the event is set; resets it.
    [[nodiscard]] auto wait() {
        return suspend([this](Suspension waiter) {
            waiter_ = std::move(waiter);
            if (set_) {
                wake();
            }
        });
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
    void wake() {
        if (waiter_) {
            post_resume(loop_, std::move(waiter_));
        }
    }
    void on_deadline() override { wake(); }

    boost::asio::io_context& loop_;
    Suspension waiter_;
    bool set_ = false;
};

}  // namespace onceward::net
