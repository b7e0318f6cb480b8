#pragma once

#include <string>

/// @file
/// What a command leaves behind: text on standard output, and its exit code (spec section 8).

namespace onceward::cli {

inline constexpr int fine = 0;
inline constexpr int failed = 1;     ///< while running
inline constexpr int bad_usage = 2;  ///< or a bad configuration

/// Writes `text` out; `failed` when it can't be written, for a script must not take half of it for the whole.
int print(const std::string& text);

}  // namespace onceward::cli
