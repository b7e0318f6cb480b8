#include "store/redis/list_cursor.hpp"

#include "onceward/base/hex.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace onceward::store::redis {

namespace {

using Start = std::array<std::uint8_t, sizeof(std::uint64_t)>;

constexpr char separator = '-';
/// SCAN's own are 64 bits.
constexpr std::size_t most_digits = 20;

std::uint64_t start_of(const RecordId& id) {
    std::uint64_t number = 0;
    std::memcpy(&number, id.bytes.data(), sizeof number);
    return number;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= most_digits && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool ListCursor::has_given(const RecordId& id) const {
    return std::find(given.begin(), given.end(), start_of(id)) != given.end();
}

void ListCursor::give(const RecordId& id) {
    given.push_back(start_of(id));
}

std::string to_text(const ListCursor& cursor) {
    auto text = cursor.scan;
    if (!cursor.given.empty()) {
        text += separator;
    }
    for (const auto number : cursor.given) {
        Start start;
        std::memcpy(start.data(), &number, sizeof number);
        base::append_hex(text, start);
    }
    return text;
}

std::optional<ListCursor> parse_list_cursor(std::string_view text) {
    ListCursor cursor;
    if (text.empty()) {
        return cursor;
    }
    const auto end = std::min(text.find(separator), text.size());
    if (!is_number(text.substr(0, end))) {
        return std::nullopt;
    }
    cursor.scan = text.substr(0, end);
    constexpr auto digits = 2 * sizeof(std::uint64_t);
    auto rest = text.substr(std::min(end + 1, text.size()));
    for (; rest.size() >= digits; rest.remove_prefix(digits)) {
        Start start;
        if (!base::from_hex(rest.substr(0, digits), start)) {
            return std::nullopt;
        }
        std::memcpy(&cursor.given.emplace_back(), start.data(), start.size());
    }
    return rest.empty() ? std::optional(std::move(cursor)) : std::nullopt;
}

}  // namespace onceward::store::redis
