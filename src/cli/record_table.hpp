#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Records as people read them on a terminal. Pure: rows of the admin listener's JSON in, text out.

namespace onceward::cli {

/// A header and a line a record, in columns.
std::string record_table(const std::vector<nlohmann::json>& records, std::chrono::sys_seconds now);

/// One record, a line a member.
std::string record_text(const nlohmann::json& record, std::chrono::sys_seconds now);

/// `12s`, `5m`, `3h`, `2d`: whole units, the largest that fits.
std::string age_text(std::chrono::seconds age);

/// Of `2026-01-31T23:59:59.123Z`; the epoch for anything else.
std::chrono::sys_seconds parse_time(std::string_view text);

/// What a terminal would obey is shown as `?`.
std::string printable(std::string_view text);

}  // namespace onceward::cli
