#include "net/deadline.hpp"

namespace onceward::net {

void Deadlines::set(Timed& timed, Deadline deadline) {
    timed.deadline_ = deadline;
    if (!timed.is_linked()) {
        list_.push_back(timed);
    }
    arm();
}

void Deadlines::stop() {
    stopped_ = true;
    timer_.cancel();
}

void Deadlines::arm() {
    if (armed_ || stopped_) {
        return;
    }
    armed_ = true;
    timer_.expires_after(granularity);
    timer_.async_wait([this](const boost::system::error_code& ec) {
        armed_ = false;
        if (!ec) {
            sweep();
        }
    });
}

void Deadlines::sweep() {
    const auto now = std::chrono::steady_clock::now();
    // A callback may unlink or destroy any entry, so that those that are over move to a list of their own first: the hook of an entry that
    // is destroyed meanwhile takes it out of that list.
    List over;
    for (auto it = list_.begin(); it != list_.end();) {
        Timed& timed = *it++;
        if (timed.deadline_ == Timed::never) {
            timed.unlink();
        } else if (timed.deadline_ <= now) {
            timed.unlink();
            over.push_back(timed);
        }
    }
    while (!over.empty()) {
        Timed& timed = over.front();
        over.pop_front();
        timed.deadline_ = Timed::never;
        timed.on_deadline();
    }
    if (!list_.empty()) {
        arm();
    }
}

}  // namespace onceward::net
