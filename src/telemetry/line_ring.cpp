#include "telemetry/line_ring.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace onceward::telemetry {

LineRing::LineRing(std::size_t capacity) : capacity_(capacity), bytes_(std::make_unique_for_overwrite<char[]>(capacity)) {
    ONCEWARD_ASSERT(std::has_single_bit(capacity));
}

bool LineRing::push(std::string_view line) {
    const auto pushed = pushed_.load(std::memory_order_relaxed);
    if (line.size() > capacity_ - (pushed - popped_.load(std::memory_order_acquire))) {
        return false;
    }
    copy_in(pushed & (capacity_ - 1), line);
    // Sequentially consistent: the pusher then looks whether the popper sleeps, which says so before it looks here a last time.
    pushed_.store(pushed + line.size());
    return true;
}

std::size_t LineRing::pop(char* out, std::size_t size) {
    const auto popped = popped_.load(std::memory_order_relaxed);
    const auto available = pushed_.load() - popped;
    auto n = std::min(available, size);
    copy_out(popped & (capacity_ - 1), out, n);
    if (n < available) {
        const auto last = std::string_view{out, n}.rfind('\n');
        n = last == std::string_view::npos ? 0 : last + 1;
    }
    popped_.store(popped + n, std::memory_order_release);
    return n;
}

std::size_t LineRing::used() const {
    return pushed_.load() - popped_.load(std::memory_order_relaxed);
}

void LineRing::copy_in(std::size_t at, std::string_view line) {
    const auto first = std::min(line.size(), capacity_ - at);
    std::memcpy(bytes_.get() + at, line.data(), first);
    std::memcpy(bytes_.get(), line.data() + first, line.size() - first);
}

void LineRing::copy_out(std::size_t at, char* out, std::size_t size) const {
    const auto first = std::min(size, capacity_ - at);
    std::memcpy(out, bytes_.get() + at, first);
    std::memcpy(out + first, bytes_.get(), size - first);
}

}  // namespace onceward::telemetry
