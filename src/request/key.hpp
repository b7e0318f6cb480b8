#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onceward::request {

inline constexpr std::size_t key_bytes_max = 255;
bool is_key_length(std::string_view key);

/// `parse_key` into a text that is used again. What `key` holds after a refusal is of no use.
bool read_key(std::string_view field_value, std::string& key);

}  // namespace onceward::request
