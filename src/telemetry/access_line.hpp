#pragma once

#include "onceward/base/time.hpp"
#include "onceward/telemetry/access_log.hpp"

namespace onceward::telemetry {

/// Longest piece of a path and of a method that a line shows; what is cut is marked by `...`.
inline constexpr std::size_t path_shown_max = 2048;
inline constexpr std::size_t method_shown_max = 64;
inline constexpr std::size_t request_id_shown_max = 128;
/// No line is longer: every byte of a text may need six.
inline constexpr std::size_t access_line_max = 6 * (path_shown_max + method_shown_max + request_id_shown_max) + 2048;

/// Appends the JSON line of one request, newline included.
void append_access_line(std::string& out, const AccessEntry& entry, StoreTime time);

}  // namespace onceward::telemetry
