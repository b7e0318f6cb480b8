#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace onceward::store::sqlite {

/// A list's cursor is the number of the row that was looked at last, in decimal; empty: 0. Nothing when it is something else.
inline std::optional<std::int64_t> parse_list_cursor(std::string_view text) {
    std::int64_t number = 0;
    if (text.empty()) {
        return number;
    }
    const auto* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    return result.ec == std::errc{} && result.ptr == end && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace onceward::store::sqlite
