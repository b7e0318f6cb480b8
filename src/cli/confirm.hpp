#pragma once

#include <cstdint>
#include <string>

namespace onceward::cli {

enum class Consent : std::uint8_t { given, refused, nobody_to_ask };

/// Asks on the terminal; anything but `y` or `yes` is no. A standard input that is no terminal is nobody to ask: a script that
/// meant it says so.
Consent confirm(const std::string& question);

}  // namespace onceward::cli
