#pragma once

#include "onceward/guard/record.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// @file
/// A record as Redis keeps it; start.lua tells its form.

namespace onceward::store::redis {

/// A record whose answer, if it has one, is still without head and content. `record.state` is the stored one.
struct StoredRecord {
    guard::Record record;
    std::size_t head_size = 0;
    std::size_t body_size = 0;
};

/// Nothing when the text is not a record of the version that this program writes.
std::optional<StoredRecord> parse_record(std::string_view text, const std::string& route);

/// Gives a COMPLETED record the head and content that were stored apart; false when they are not what was recorded.
bool add_content(StoredRecord& stored, std::string_view text);

}  // namespace onceward::store::redis
