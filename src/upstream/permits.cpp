#include "upstream/permits.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace onceward::upstream {

std::size_t Permits::add_loop(boost::asio::io_context& loop, std::function<void()> on_free, std::function<void()> on_shortage) {
    auto entry = std::make_unique<Loop>();
    entry->loop = &loop;
    entry->on_free = std::move(on_free);
    entry->on_shortage = std::move(on_shortage);
    loops_.push_back(std::move(entry));
    return loops_.size() - 1;
}

bool Permits::take() {
    auto free = free_.load();
    while (free > 0) {
        if (free_.compare_exchange_weak(free, free - 1)) {
            return true;
        }
    }
    return false;
}

void Permits::give() {
    // A waiter announces itself before it looks again, and this adds before it looks for waiters: one of the two sees the other.
    free_.fetch_add(1);
    wake_waiting();
}

void Permits::set_max(std::int64_t max) {
    free_.fetch_add(max - std::exchange(max_, max));
    wake_waiting();
}

void Permits::wake_waiting() {
    for (const auto& loop : loops_) {
        if (loop->waiting.load() > 0) {
            boost::asio::post(loop->loop->get_executor(), loop->on_free);
        }
    }
}

void Permits::set_waiting(std::size_t index, std::size_t count) {
    if (loops_[index]->waiting.exchange(count) > 0 || count == 0) {
        return;
    }
    for (const auto& loop : loops_) {
        if (loop != loops_[index]) {
            boost::asio::post(loop->loop->get_executor(), loop->on_shortage);
        }
    }
}

bool Permits::wanted_elsewhere(std::size_t index) const {
    for (std::size_t i = 0; i < loops_.size(); ++i) {
        if (i != index && loops_[i]->waiting.load() > 0) {
            return true;
        }
    }
    return false;
}

}  // namespace onceward::upstream
