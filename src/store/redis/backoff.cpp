#include "store/redis/backoff.hpp"

#include <algorithm>

namespace onceward::store::redis {

milliseconds Backoff::next() {
    if (failures_++ == 0) {
        return milliseconds{0};
    }
    const auto doublings = std::min(failures_ - 2, 16U);
    const auto full = std::min(shortest * (1U << doublings), longest);
    // xorshift64: only the spread matters.
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    return full - milliseconds{static_cast<std::int64_t>(random_ % static_cast<std::uint64_t>(full.count() / 2 + 1))};
}

}  // namespace onceward::store::redis
