#pragma once

#include "onceward/base/time.hpp"
#include "store/sqlite/operation.hpp"

#include <atomic>

namespace onceward::store::sqlite {

/// What the loops have queued for the writer: many push, one takes. No lock; a push into an empty inbox costs one system call.
/// Bounded by the loops, each of which has a limited number of operations (`LoopLink`).
class Inbox {
public:
    /// Throws std::system_error.
    Inbox();
    ~Inbox();
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;

    void push(Operation& operation);
    /// All that is queued, oldest first, linked by `next`.
    Operation* take();

    /// Until something is pushed, `wake` is called, or `limit` is over. May return early.
    void wait(milliseconds limit);
    void wake();

private:
    std::atomic<Operation*> newest_ = nullptr;
    int event_;
};

}  // namespace onceward::store::sqlite
