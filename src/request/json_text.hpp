#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onceward::request {

/// Length of the UTF-8 character at `text[at]` (RFC 3629: shortest form, no surrogates); 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Length of the JSON number that `text` begins with (RFC 8259 section 6); 0 when there is none.
std::size_t json_number_length(std::string_view text);

/// Reads the JSON string whose opening quote is at `text[at]` and appends its value. The index behind its closing quote; npos
/// when it is not a string.
std::size_t append_json_string(std::string& out, std::string_view text, std::size_t at);

/// Appends `value` as a JSON string with the fewest escapes.
void append_quoted_json(std::string& out, std::string_view value);

}  // namespace onceward::request
