#pragma once

#include <cstddef>

namespace onceward::base {

/// Memory for coroutine frames and for the operations they wait for. A thread keeps what was freed, by size, up to
/// `frame_pool_bytes`: a steady load asks the heap for nothing. Memory may be freed by another thread than took it.
/// Off under AddressSanitizer and ThreadSanitizer, which could not see a use after free otherwise.
[[nodiscard]] void* take_frame(std::size_t size);
/// `size` as it was taken.
void free_frame(void* frame, std::size_t size) noexcept;

/// The most that a thread keeps, in bytes.
inline constexpr std::size_t frame_pool_bytes = std::size_t{1} << 20;
/// What this thread keeps.
[[nodiscard]] std::size_t kept_frame_bytes() noexcept;

/// The same for containers and Asio handlers.
template <typename T>
struct FrameAllocator {
    using value_type = T;

    FrameAllocator() = default;
    template <typename U>
    FrameAllocator(const FrameAllocator<U>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor): of containers

    [[nodiscard]] T* allocate(std::size_t n) {
        static_assert(alignof(T) <= alignof(std::max_align_t));
        return static_cast<T*>(take_frame(n * sizeof(T)));
    }
    void deallocate(T* memory, std::size_t n) noexcept { free_frame(memory, n * sizeof(T)); }

    template <typename U>
    bool operator==(const FrameAllocator<U>& /*other*/) const noexcept {
        return true;
    }
};

}  // namespace onceward::base
