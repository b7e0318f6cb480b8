#include "store/sqlite/inbox.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace onceward::store::sqlite {

Inbox::Inbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (event_ < 0) {
        throw std::system_error(errno, std::generic_category(), "SQLite store: eventfd");
    }
}

Inbox::~Inbox() {
    ::close(event_);
}

void Inbox::push(Operation& operation) {
    auto* seen = newest_.load(std::memory_order_relaxed);
    do {
        operation.next = seen;
    } while (!newest_.compare_exchange_weak(seen, &operation, std::memory_order_release, std::memory_order_relaxed));
    if (seen == nullptr) {
        wake();
    }
}

Operation* Inbox::take() {
    auto* newest = newest_.exchange(nullptr, std::memory_order_acquire);
    Operation* oldest = nullptr;
    while (newest != nullptr) {
        oldest = std::exchange(newest, std::exchange(newest->next, oldest));
    }
    return oldest;
}

void Inbox::wait(milliseconds limit) {
    pollfd wanted{event_, POLLIN, 0};
    if (::poll(&wanted, 1, static_cast<int>(limit.count())) > 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto size = ::read(event_, &count, sizeof count);
    }
}

void Inbox::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto size = ::write(event_, &one, sizeof one);
}

}  // namespace onceward::store::sqlite
