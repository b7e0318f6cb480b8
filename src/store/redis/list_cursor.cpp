#include "store/redis/list_cursor.hpp"

#include "onceward/base/hex.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

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

bool read_given(std::string_view text, ListCursor& cursor) {
    constexpr auto digits = 2 * sizeof(Start);
    if (text.empty() || text.size() > digits * ListCursor::given_max) {
        return false;
    }
    for (; text.size() >= digits; text.remove_prefix(digits)) {
        Start start;
        if (!base::from_hex(text.substr(0, digits), start)) {
            return false;
        }
        std::memcpy(&cursor.given.emplace_back(), start.data(), start.size());
    }
    return text.empty();
}

}  // namespace

bool ListCursor::has_given(const RecordId& id) const {
    return std::find(given.begin(), given.end(), start_of(id)) != given.end();
}

void ListCursor::give(const RecordId& id) {
    if (given.size() == given_max) {
        given.erase(given.begin());
    }
    given.push_back(start_of(id));
}

void ListCursor::meet(const RecordId& id) {
    std::erase(given, start_of(id));
}

std::string to_text(const ListCursor& cursor) {
    auto text = cursor.scan;
    if (cursor.given.empty()) {
        return text;
    }
    text += separator;
    text += std::to_string(cursor.count);
    text += separator;
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
    const auto scan = text.substr(0, text.find(separator));
    if (!is_number(scan)) {
        return std::nullopt;
    }
    cursor.scan = scan;
    if (scan.size() == text.size()) {
        return cursor;
    }
    text.remove_prefix(scan.size() + 1);
    const auto count = text.substr(0, text.find(separator));
    const auto* const count_end = count.data() + count.size();
    const auto read = std::from_chars(count.data(), count_end, cursor.count);
    const bool is_count = read.ec == std::errc{} && read.ptr == count_end;
    if (!is_count || cursor.count == 0 || cursor.count > ListCursor::count_max || count.size() == text.size()) {
        return std::nullopt;
    }
    text.remove_prefix(count.size() + 1);
    return read_given(text, cursor) ? std::optional(std::move(cursor)) : std::nullopt;
}

}  // namespace onceward::store::redis
