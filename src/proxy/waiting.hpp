#pragma once

#include "net/event.hpp"
#include "onceward/base/tagged.hpp"

namespace onceward::proxy {

struct Loop;

/// A request's interest in one record while it waits for another's execution. The store's word wakes it; beside that it looks
/// again by itself, at growing intervals, for notifications may be lost.
class Watch {
public:
    /// A lease that runs out is read a little later, so that the store sees it over.
    static constexpr milliseconds lease_margin{50};

    Watch(Loop& loop, const RecordId& id);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Returns when the record may have changed, at `until` at the latest.
    Task<> wait(Deadline until);

private:
    Loop& loop_;
    RecordId id_;
    net::Event event_;
    milliseconds pause_;
};

}  // namespace onceward::proxy
