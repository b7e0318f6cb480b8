#include "onceward/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace onceward::base {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "onceward: assertion failed: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace onceward::base
