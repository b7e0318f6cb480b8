#include "onceward/base/clock.hpp"

namespace onceward::base {

StoreTime wall_clock() {
    return StoreTime{std::chrono::floor<microseconds>(std::chrono::system_clock::now().time_since_epoch())};
}

}  // namespace onceward::base
