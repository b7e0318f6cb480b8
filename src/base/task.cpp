#include "onceward/base/task.hpp"

#include "onceward/base/assert.hpp"

namespace onceward {

Abandoned::Abandoned() : std::runtime_error("what a coroutine waited for is gone") {}

namespace detail {

void PromiseBase::resume() {
    if (state_ == State::starting) {
        state_ = State::resumed;
        return;
    }
    ONCEWARD_ASSERT(state_ == State::suspended);
    state_ = State::running;
    self_.resume();
}

void PromiseBase::drop() noexcept {
    if (state_ == State::starting) {
        state_ = State::dropped;
        return;
    }
    // The frame of the one that nobody waits for owns all the others.
    auto* root = this;
    while (root->awaiter_ != nullptr) {
        root = root->awaiter_;
    }
    root->self_.destroy();
}

bool PromiseBase::has_started() {
    const auto state = std::exchange(state_, State::suspended);
    if (state == State::starting) {
        return true;
    }
    state_ = State::running;
    if (state == State::dropped) {
        throw Abandoned();
    }
    return false;
}

}  // namespace detail

}  // namespace onceward
