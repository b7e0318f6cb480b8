#include "record_invariants.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Each input byte is a choice of the script; what must hold whatever happens is the oracle.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::size_t used = 0;
    const auto choose = [&](std::uint64_t below) -> std::uint64_t { return used < size ? data[used++] % below : 0; };
    onceward::test::WatchedRecords records(choose);
    while (used < size) {
        const auto broken = records.step();
        if (!broken.empty()) {
            std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(broken.size()), broken.data());
            std::abort();
        }
    }
    return 0;
}
