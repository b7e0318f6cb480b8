#pragma once

#include "net/event.hpp"
#include "onceward/store/store.hpp"

#include <cstring>
#include <unordered_map>

namespace onceward::proxy {

/// Requests of one loop that wait for another's execution. A change of the record wakes all that wait for it; each then claims
/// again, for a wake-up is only a hint.
class Waiters final : public store::ChangeSink {
public:
    void add(const RecordId& id, net::Event& event) { events_.emplace(id, &event); }
    void remove(const RecordId& id, const net::Event& event);
    void on_change(const RecordId& id) override;
    void wake_all();

private:
    struct Hash {
        std::size_t operator()(const RecordId& id) const {
            std::size_t value = 0;  // a record id is a digest: any of its bytes are as good as a hash
            std::memcpy(&value, id.bytes.data(), sizeof value);
            return value;
        }
    };
    std::unordered_multimap<RecordId, net::Event*, Hash> events_;
};

}  // namespace onceward::proxy
