#pragma once

#include "config/parsed.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace onceward::config {

enum class Zero : std::uint8_t { refused, allowed };

/// `500ms`, `30s`, `10m`, `24h`, `7d`: a decimal number and a unit, at most a hundred years.
Parsed<std::chrono::milliseconds> parse_duration(std::string_view text, Zero zero);

/// `512B`, `64KiB`, `1MiB`, `2GiB`, `1TiB`; `0` where zero is allowed. Fits 63 bits.
Parsed<std::uint64_t> parse_size(std::string_view text, Zero zero);

/// Decimal digits, `min` to `max`.
Parsed<std::uint32_t> parse_count(std::string_view text, std::uint32_t min, std::uint32_t max);

/// In the largest unit that divides it.
std::string to_text(std::chrono::milliseconds duration);
std::string size_text(std::uint64_t bytes);

}  // namespace onceward::config
