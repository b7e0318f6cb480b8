#include "onceward/base/hex.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace onceward::base {

namespace {

constexpr char digits[] = "0123456789abcdef";

/// The two digits of each byte, as they lie in memory.
constexpr auto pairs = [] {
    std::array<std::uint16_t, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        table[byte] = std::bit_cast<std::uint16_t>(std::array{digits[byte >> 4U], digits[byte & 15U]});
    }
    return table;
}();

/// The value of a digit; `not_a_digit` for any other byte.
constexpr std::uint8_t not_a_digit = 0xff;
constexpr auto nibbles = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(not_a_digit);
    for (std::uint8_t value = 0; value < 16; ++value) {
        const auto lower = static_cast<std::uint8_t>(digits[value]);
        table[lower] = value;
        table[value < 10 ? lower : lower - ('a' - 'A')] = value;
    }
    return table;
}();

std::uint8_t nibble(char c) {
    return nibbles[static_cast<std::uint8_t>(c)];
}

}  // namespace

char* put_hex(char* to, std::span<const std::uint8_t> bytes) {
    for (const auto byte : bytes) {
        std::memcpy(to, &pairs[byte], sizeof pairs[byte]);
        to += sizeof pairs[byte];
    }
    return to;
}

void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
    const auto at = out.size();
    out.resize(at + 2 * bytes.size());
    put_hex(out.data() + at, bytes);
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    std::string out;
    append_hex(out, bytes);
    return out;
}

bool from_hex(std::string_view text, std::span<std::uint8_t> out) {
    if (text.size() != 2 * out.size()) {
        return false;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto high = nibble(text[2 * i]);
        const auto low = nibble(text[2 * i + 1]);
        if (high == not_a_digit || low == not_a_digit) {
            return false;
        }
        out[i] = static_cast<std::uint8_t>(high << 4U | low);
    }
    return true;
}

}  // namespace onceward::base
