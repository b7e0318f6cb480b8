#pragma once

#include "onceward/base/task.hpp"
#include "proxy/loop.hpp"
#include "proxy/plan.hpp"

#include <atomic>

namespace onceward::app {

/// Leaves in the store what keys mean, and tells in the log what they meant otherwise when the process before this one left it: a
/// restart takes what a reload refuses (spec section 4). Of the first loop, but for `forget`.
class RulesMemory {
public:
    /// Asks the store only when `plan` is not the one that it has. What fails is tried again at the next call.
    Task<> remember(proxy::Loop& loop, proxy::PlanPtr plan);
    /// The store lost what it had. Any thread.
    void forget() { lost_ = true; }

private:
    proxy::PlanPtr remembered_;
    std::atomic<bool> lost_ = false;
    bool told_ = false;
};

}  // namespace onceward::app
