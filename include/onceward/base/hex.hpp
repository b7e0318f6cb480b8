#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onceward::base {

/// Lower-case hexadecimal of `bytes`.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// Appends lower-case hexadecimal of `bytes` to `out`.
void append_hex(std::string& out, std::span<const std::uint8_t> bytes);

/// Writes `2 * bytes.size()` lower-case digits to `to`, and gives the place behind them.
char* put_hex(char* to, std::span<const std::uint8_t> bytes);

/// Fills `out` from exactly `2 * out.size()` hexadecimal digits of either case. False when `text` is anything else.
[[nodiscard]] bool from_hex(std::string_view text, std::span<std::uint8_t> out);

}  // namespace onceward::base
