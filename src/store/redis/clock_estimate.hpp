#pragma once

#include "onceward/base/clock.hpp"
#include "onceward/base/time.hpp"

#include <chrono>

namespace onceward::store::redis {

/// The server's clock as last heard, carried on by this process's own.
class ClockEstimate {
public:
    void hear(StoreTime now) {
        heard_ = now;
        heard_at_ = std::chrono::steady_clock::now();
    }
    [[nodiscard]] StoreTime now() const {
        return heard_ + std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - heard_at_);
    }

private:
    StoreTime heard_ = base::wall_clock();
    std::chrono::steady_clock::time_point heard_at_ = std::chrono::steady_clock::now();
};

}  // namespace onceward::store::redis
