#include "store/memory/list_cursor.hpp"

#include "onceward/base/hex.hpp"

#include <charconv>

namespace onceward::store {

namespace {

constexpr char separator = '.';

/// The number in front of the next separator, which is taken off as well.
std::optional<std::size_t> take_number(std::string_view& text, std::size_t below) {
    std::size_t number = 0;
    const auto end = text.find(separator);
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const auto result = std::from_chars(text.data(), text.data() + end, number);
    if (result.ec != std::errc{} || result.ptr != text.data() + end || number >= below) {
        return std::nullopt;
    }
    text.remove_prefix(end + 1);
    return number;
}

}  // namespace

std::string to_text(const ListCursor& cursor) {
    auto text = std::to_string(cursor.shard) + separator + std::to_string(cursor.place.part) + separator;
    if (cursor.place.after) {
        base::append_hex(text, cursor.place.after->bytes);
    }
    return text;
}

std::optional<ListCursor> parse_list_cursor(std::string_view text, std::size_t shard_count) {
    ListCursor cursor;
    if (text.empty()) {
        return cursor;
    }
    const auto shard = take_number(text, shard_count);
    const auto part = take_number(text, MemoryShard::part_count);
    if (!shard || !part) {
        return std::nullopt;
    }
    cursor.shard = *shard;
    cursor.place.part = *part;
    if (!text.empty() && !base::from_hex(text, cursor.place.after.emplace().bytes)) {
        return std::nullopt;
    }
    return cursor;
}

}  // namespace onceward::store
