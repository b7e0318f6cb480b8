#include "proxy/waiters.hpp"

namespace onceward::proxy {

void Waiters::remove(const RecordId& id, const net::Event& event) {
    const auto [first, last] = events_.equal_range(id);
    for (auto it = first; it != last; ++it) {
        if (it->second == &event) {
            events_.erase(it);
            return;
        }
    }
}

void Waiters::wake_all() {
    for (const auto& [id, event] : events_) {
        event->set();
    }
}

void Waiters::on_change(const RecordId& id) {
    const auto [first, last] = events_.equal_range(id);
    for (auto it = first; it != last; ++it) {
        it->second->set();
    }
}

}  // namespace onceward::proxy
