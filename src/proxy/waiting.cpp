#include "proxy/waiting.hpp"

#include "proxy/loop.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {
constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{500};
}  // namespace

Watch::Watch(Loop& loop, const RecordId& id) : loop_(loop), id_(id), event_(loop.io), pause_(first_pause) {
    loop_.waiters.add(id_, event_);
    loop_.store->watch(id_);
}

Watch::~Watch() {
    loop_.store->unwatch(id_);
    loop_.waiters.remove(id_, event_);
}

Task<> Watch::wait(Deadline until) {
    const auto look_again = std::chrono::steady_clock::now() + pause_;
    pause_ = std::min(pause_ * 2, longest_pause);
    co_await event_.wait_until(loop_.deadlines, std::min(until, look_again));
    event_.take();
}

}  // namespace onceward::proxy
