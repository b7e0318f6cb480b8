#pragma once

#include <cstdint>
#include <span>

namespace onceward::crypto {

/// Fills `out` with random bytes of the kernel, through a buffer per thread: a system call for some hundred owner tokens.
/// No byte is given twice, also not by a process that was forked off. Aborts when the kernel has no randomness to give.
void random_bytes(std::span<std::uint8_t> out);

}  // namespace onceward::crypto
