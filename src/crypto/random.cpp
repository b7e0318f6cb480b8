#include "onceward/crypto/random.hpp"

#include "onceward/base/assert.hpp"

#include <pthread.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

namespace onceward::crypto {

namespace {

// Grows in each forked child: a buffer filled before the fork is in two processes and is not used again.
std::atomic<std::uint64_t> fork_count{0};

std::uint64_t forks_so_far() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); });
    ONCEWARD_ASSERT(registered == 0);
    return fork_count.load(std::memory_order_relaxed);
}

void from_kernel(std::span<std::uint8_t> out) {
    while (!out.empty()) {
        const auto got = getrandom(out.data(), out.size(), 0);
        ONCEWARD_ASSERT(got > 0 || errno == EINTR);
        if (got > 0) {
            out = out.subspan(static_cast<std::size_t>(got));
        }
    }
}

struct Buffer {
    std::array<std::uint8_t, 4096> bytes{};
    std::size_t used = bytes.size();
    std::uint64_t filled_after_forks = 0;
};

thread_local Buffer buffer;

}  // namespace

void random_bytes(std::span<std::uint8_t> out) {
    const auto forks = forks_so_far();
    if (out.size() > buffer.bytes.size()) {
        from_kernel(out);
        return;
    }
    if (buffer.filled_after_forks != forks || buffer.bytes.size() - buffer.used < out.size()) {
        from_kernel(buffer.bytes);
        buffer.used = 0;
        buffer.filled_after_forks = forks;
    }
    auto* const from = buffer.bytes.data() + buffer.used;
    std::copy_n(from, out.size(), out.data());
    // What was given away is a secret of its user.
    std::fill_n(from, out.size(), std::uint8_t{0});
    buffer.used += out.size();
}

}  // namespace onceward::crypto
