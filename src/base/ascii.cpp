#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace onceward::base {

namespace {
constexpr auto token_chars = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}();

// Names are compared eight bytes at a time: each request compares a good many.
using Word = std::uint64_t;

constexpr Word each(unsigned char byte) {
    return ~Word{0} / 0xff * byte;
}

/// The eight bytes at `from`, in lower case. In each byte of the sums the top bit says whether its letter is past the bound; a
/// byte outside of ASCII is left as it is.
Word lower_word(const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    const Word low = word & each(0x7f);
    const Word from_a = low + each(0x80 - 'A');
    const Word past_z = low + each(0x7f - 'Z');
    const Word is_upper = (from_a ^ past_z) & ~word & each(0x80);
    return word | is_upper >> 2U;
}

}  // namespace

bool is_token_char(char c) {
    return token_chars[static_cast<unsigned char>(c)];
}

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool iequals(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) {
        return false;
    }
    const std::size_t size = a.size();
    if (size < sizeof(Word)) {
        return std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return to_lower(x) == to_lower(y); });
    }
    for (std::size_t i = 0; i + sizeof(Word) < size; i += sizeof(Word)) {
        if (lower_word(a.data() + i) != lower_word(b.data() + i)) {
            return false;
        }
    }
    // The last word overlaps the one before it.
    const std::size_t last = size - sizeof(Word);
    return lower_word(a.data() + last) == lower_word(b.data() + last);
}

std::string to_lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = to_lower(c);
    }
    return out;
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view unquoted(std::string_view text) {
    const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace onceward::base
