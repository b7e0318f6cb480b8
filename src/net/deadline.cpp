#include "net/deadline.hpp"

#include <algorithm>

namespace onceward::net {

void Deadlines::set(Timed& timed, Deadline deadline) {
    timed.deadline_ = deadline;
    if (!timed.is_linked()) {
        list_.push_back(timed);
    }
    if (deadline < armed_for_) {
        arm(deadline);
    }
}

void Deadlines::stop() {
    stopped_ = true;
    timer_.cancel();
}

void Deadlines::arm(Deadline at) {
    if (stopped_) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    const auto wanted = std::clamp(at, now + granularity, now + longest_sleep);
    if (wanted >= armed_for_) {
        return;  // a stream of near limits must not put the sweep off again and again
    }
    armed_for_ = wanted;
    timer_.expires_at(armed_for_);
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec) {
            armed_for_ = Deadline::max();
            sweep();
        }
    });
}

void Deadlines::sweep() {
    const auto now = std::chrono::steady_clock::now();
    // A callback may unlink or destroy any entry, so that those that are over move to a list of their own first: the hook of an
    // entry that is destroyed meanwhile takes it out of that list.
    List over;
    auto next = Deadline::max();
    for (auto it = list_.begin(); it != list_.end();) {
        Timed& timed = *it++;
        if (timed.deadline_ == Timed::never) {
            timed.unlink();
        } else if (timed.deadline_ <= now) {
            timed.unlink();
            over.push_back(timed);
        } else {
            next = std::min(next, timed.deadline_);
        }
    }
    while (!over.empty()) {
        Timed& timed = over.front();
        over.pop_front();
        timed.deadline_ = Timed::never;
        timed.on_deadline();
    }
    if (!list_.empty() && next < armed_for_) {
        arm(next);
    }
}

}  // namespace onceward::net
