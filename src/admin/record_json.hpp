#pragma once

#include "onceward/store/record_query.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

/// @file
/// Records as the admin listener shows them (spec section 8). Pure. Operation ids are text, for they lose digits as JavaScript
/// numbers; fences do not.

namespace onceward::admin {

/// The members that a list has.
nlohmann::ordered_json record_json(const RecordId& id, const guard::Record& record);
/// A record that can't be read: its id, its route, and `state` `CORRUPT`.
nlohmann::ordered_json record_json(const store::ListedRecord& listed);
/// With everything that is known of one record: what made a failure, whether an earlier attempt may have run, and the recorded
/// answer; its body only with `Detail::content`.
nlohmann::ordered_json whole_record_json(const store::FoundRecord& found, store::Detail detail);

/// 64 hexadecimal digits.
std::optional<RecordId> parse_record_id(std::string_view text);

/// `2026-01-31T23:59:59.123Z`.
std::string time_text(StoreTime time);

}  // namespace onceward::admin
