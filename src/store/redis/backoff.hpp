#pragma once

#include "onceward/base/time.hpp"

#include <cstdint>

namespace onceward::store::redis {

/// Pauses between connection attempts: none after a connection that worked, then 20 ms doubling to 2 s. Each is shortened at
/// random by up to half, so that the loops and processes that lost the same server do not come back in step.
class Backoff {
public:
    static constexpr milliseconds shortest{20};
    static constexpr milliseconds longest{2'000};

    explicit Backoff(std::uint64_t seed) : random_(seed | 1U) {}

    /// The pause before the next attempt.
    milliseconds next();
    void reset() { failures_ = 0; }

private:
    std::uint64_t random_;
    unsigned failures_ = 0;
};

}  // namespace onceward::store::redis
