#include "onceward/base/ip.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace onceward::base {

namespace {

constexpr std::uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::size_t groups_max = 8;

/// The 16-bit groups of one side of `::`, appended to `bytes`. The last may be dotted decimal.
bool append_groups(std::string_view text, std::vector<std::uint8_t>& bytes) {
    while (!text.empty()) {
        const auto colon = std::min(text.find(':'), text.size());
        const auto group = text.substr(0, colon);
        if (const auto v4 = colon == text.size() ? parse_ipv4(group) : std::nullopt) {
            bytes.insert(bytes.end(), v4->end() - 4, v4->end());
            return true;
        }
        std::uint16_t value = 0;
        const auto [end, error] = std::from_chars(group.data(), group.data() + group.size(), value, 16);
        if (error != std::errc{} || end != group.data() + group.size() || group.size() > 4) {
            return false;
        }
        bytes.push_back(static_cast<std::uint8_t>(value >> 8U));
        bytes.push_back(static_cast<std::uint8_t>(value & 0xffU));
        if (colon + 1 == text.size() || bytes.size() > 2 * groups_max) {
            return false;
        }
        text.remove_prefix(std::min(colon + 1, text.size()));
    }
    return true;
}

}  // namespace

std::optional<IpBytes> parse_ipv4(std::string_view text) {
    IpBytes ip{};
    std::copy(std::begin(mapped_prefix), std::end(mapped_prefix), ip.begin());
    for (std::size_t i = 12; i < 16; ++i) {
        const auto dot = std::min(text.find('.'), text.size());
        const auto number = text.substr(0, dot);
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ip[i]);
        const bool leading_zero = number.size() > 1 && number.front() == '0';
        const bool last = i == 15;
        if (error != std::errc{} || end != number.data() + number.size() || leading_zero || last != (dot == text.size())) {
            return std::nullopt;
        }
        text.remove_prefix(std::min(dot + 1, text.size()));
    }
    return ip;
}

std::optional<IpBytes> parse_ipv6(std::string_view text) {
    const auto gap = text.find("::");
    const auto left_text = text.substr(0, gap);
    std::vector<std::uint8_t> left;
    std::vector<std::uint8_t> right;
    IpBytes ip{};
    if (!append_groups(left_text, left)) {
        return std::nullopt;
    }
    if (gap != std::string_view::npos && !append_groups(text.substr(gap + 2), right)) {
        return std::nullopt;
    }
    const std::size_t given = left.size() + right.size();
    if (gap == std::string_view::npos ? given != ip.size() : given >= ip.size()) {
        return std::nullopt;
    }
    std::copy(left.begin(), left.end(), ip.begin());
    std::copy(right.rbegin(), right.rend(), ip.rbegin());
    return ip;
}

bool is_ipv4(const IpBytes& ip) {
    return std::equal(std::begin(mapped_prefix), std::end(mapped_prefix), ip.begin());
}

}  // namespace onceward::base
