#pragma once

#include "onceward/base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// Pieces of a JSON line, appended to a buffer that the caller reuses: nothing is allocated once it is warm.

namespace onceward::telemetry {

/// Appends `text` between quotes. Quote, backslash and every control character (C0, DEL, C1, U+2028, U+2029: some readers end a
/// line there, terminals obey them) are escaped; bytes that are not UTF-8 become U+FFFD. Any bytes give one valid JSON string.
void append_json_string(std::string& out, std::string_view text);

/// The same without the quotes.
void append_json_escaped(std::string& out, std::string_view text);

void append_integer(std::string& out, std::int64_t value);
void append_integer(std::string& out, std::uint64_t value);

/// Fewest digits that read back as the same number, with an exponent only outside 1e-6..1e15; `null` for what JSON can't say
/// (infinity, not a number).
void append_json_number(std::string& out, double value);

/// `2024-01-31T23:59:59.123Z`.
void append_rfc3339(std::string& out, StoreTime time);

}  // namespace onceward::telemetry
