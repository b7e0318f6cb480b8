#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// How the loader looks at text and shows it to people.

namespace onceward::config {

/// Offset of the first byte that is neither a line end, a tab nor part of a printable character in UTF-8.
std::optional<std::size_t> unprintable_at(std::string_view text);

/// 1 to 64 of `A-Z a-z 0-9 . _ -`: fit for metric labels, store keys and table names.
bool is_plain_name(std::string_view text);

/// Between quotes and on one line, cut when it is long, the password of a url masked: for messages.
std::string shown(std::string_view value);

/// On one line, control characters shown as `?`.
std::string without_controls(std::string_view text);

/// `did you mean "lease"?`, or all of them when none is close to `word`.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known);

/// `a, b or c`.
std::string listed(const std::vector<std::string_view>& words);

}  // namespace onceward::config
