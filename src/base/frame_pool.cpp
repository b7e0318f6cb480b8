#include "onceward/base/frame_pool.hpp"

#include <array>
#include <new>
#include <utility>

namespace onceward::base {

namespace {

// GCC says it with macros, clang with features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_on = false;
#elif defined(__has_feature)
constexpr bool is_on = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool is_on = true;
#endif

/// Sizes are rounded up to a multiple; what is larger than the last class goes to the heap.
constexpr std::size_t step = 64;
constexpr std::size_t class_count = 64;

struct Free {
    Free* next;
};

struct Pool {
    std::array<Free*, class_count> lists;
    std::size_t bytes;
    bool is_closed;
};

// Trivial, so that it needs no look at each use whether it was constructed, and can be asked for after the thread's end has
// begun.
constinit thread_local Pool pool{};

struct Closer {
    ~Closer() {
        pool.is_closed = true;
        for (auto*& list : pool.lists) {
            while (list != nullptr) {
                ::operator delete(std::exchange(list, list->next));
            }
        }
    }
    bool used = false;
};
thread_local Closer closer;

constexpr std::size_t class_of(std::size_t size) {
    return (size + step - 1) / step;
}

}  // namespace

void* take_frame(std::size_t size) {
    const auto number = class_of(size);
    if (is_on && number < class_count) {
        auto& list = pool.lists[number];
        if (list != nullptr) {
            auto* const frame = list;
            list = frame->next;
            pool.bytes -= number * step;
            return frame;
        }
    }
    return ::operator new(number* step);
}

void free_frame(void* frame, std::size_t size) noexcept {
    const auto number = class_of(size);
    if (!is_on || number >= class_count || pool.bytes + number * step > frame_pool_bytes || pool.is_closed) {
        ::operator delete(frame);
        return;
    }
    if (pool.bytes == 0) {
        closer.used = true;  // constructs it, and so has it destroyed with the thread
    }
    pool.lists[number] = ::new (frame) Free{pool.lists[number]};
    pool.bytes += number * step;
}

std::size_t kept_frame_bytes() noexcept {
    return pool.bytes;
}

}  // namespace onceward::base
