#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onceward::route {

/// The byte that the escape at `text[at]` (`%` and two hexadecimal digits) stands for; -1 when none begins there.
int escaped_byte(std::string_view text, std::size_t at);

/// Appends `%` and two upper-case digits.
void append_escape(std::string& out, unsigned char byte);

/// Every escape decoded, once. What is not an escape stays.
void append_decoded(std::string& out, std::string_view text);

/// Every escape decoded until none is left, also those that decoding makes (`%252f`). Linear in time.
void append_fully_decoded(std::string& out, std::string_view text);

}  // namespace onceward::route
