#include "request/json_text.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/hex.hpp"

#include <array>
#include <cstdint>

namespace onceward::request {

namespace {

constexpr auto npos = std::string_view::npos;

unsigned char byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0U | code >> 6U);
        put(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        put(0xe0U | code >> 12U);
        put(0x80U | (code >> 6U & 0x3fU));
        put(0x80U | (code & 0x3fU));
    } else {
        put(0xf0U | code >> 18U);
        put(0x80U | (code >> 12U & 0x3fU));
        put(0x80U | (code >> 6U & 0x3fU));
        put(0x80U | (code & 0x3fU));
    }
}

// The code unit of `\uXXXX` at `text[at]`; more than 0xffff when none is there.
std::uint32_t code_unit(std::string_view text, std::size_t at) {
    constexpr std::uint32_t none = 0x10000;
    std::array<std::uint8_t, 2> bytes{};
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u' || !base::from_hex(text.substr(at + 2, 4), bytes)) {
        return none;
    }
    return std::uint32_t{bytes[0]} << 8U | bytes[1];
}

bool is_high_surrogate(std::uint32_t unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low_surrogate(std::uint32_t unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

// A `\u` escape, or the pair of two that one character takes. The index behind it; npos when it names no character.
std::size_t append_unicode_escape(std::string& out, std::string_view text, std::size_t at) {
    const auto unit = code_unit(text, at);
    if (unit > 0xffff || is_low_surrogate(unit)) {
        return npos;
    }
    if (!is_high_surrogate(unit)) {
        append_utf8(out, unit);
        return at + 6;
    }
    const auto second = code_unit(text, at + 6);
    if (!is_low_surrogate(second)) {
        return npos;
    }
    append_utf8(out, 0x10000 + ((unit - 0xd800) << 10U) + (second - 0xdc00));
    return at + 12;
}

std::size_t append_escape(std::string& out, std::string_view text, std::size_t at) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (at + 1 >= text.size()) {
        return npos;
    }
    const auto letter = letters.find(text[at + 1]);
    if (letter == npos) {
        return append_unicode_escape(out, text, at);
    }
    out.push_back(meanings[letter]);
    return at + 2;
}

// ASCII that stands for itself in a string.
std::size_t plain_length(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && byte_at(text, end) >= 0x20 && byte_at(text, end) < 0x80 && text[end] != '"' &&
           text[end] != '\\') {
        ++end;
    }
    return end - at;
}

std::size_t digits_length(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && base::is_digit(text[end])) {
        ++end;
    }
    return end - at;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto first = byte_at(text, at);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() - at < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, at + i) & 0xc0U) != 0x80) {
            return 0;
        }
    }
    // RFC 3629 section 4: the second byte tells overlong forms, surrogates and what lies beyond U+10FFFF.
    const auto second = byte_at(text, at + 1);
    const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                       (first == 0xf4 && second > 0x8f);
    return wrong ? 0 : length;
}

std::size_t json_number_length(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const auto whole = digits_length(text, at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) {
        return 0;
    }
    at += whole;
    if (at < text.size() && text[at] == '.') {
        const auto fraction = digits_length(text, at + 1);
        if (fraction == 0) {
            return 0;
        }
        at += 1 + fraction;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
            ++at;
        }
        const auto exponent = digits_length(text, at);
        return exponent == 0 ? 0 : at + exponent;
    }
    return at;
}

std::size_t append_json_string(std::string& out, std::string_view text, std::size_t at) {
    ++at;
    while (at < text.size() && text[at] != '"') {
        const auto plain = plain_length(text, at);
        if (plain > 0) {
            out.append(text, at, plain);
            at += plain;
            continue;
        }
        const auto byte = byte_at(text, at);
        if (byte == '\\') {
            at = append_escape(out, text, at);
            if (at == npos) {
                return npos;
            }
            continue;
        }
        const auto length = byte < 0x20 ? 0 : utf8_length(text, at);
        if (length == 0) {
            return npos;
        }
        out.append(text, at, length);
        at += length;
    }
    return at < text.size() ? at + 1 : npos;
}

void append_quoted_json(std::string& out, std::string_view value) {
    out.push_back('"');
    for (const char c : value) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (byte < 0x20) {
            out.append("\\u00");
            base::append_hex(out, {&byte, 1});
            continue;
        }
        if (c == '"' || c == '\\') {
            out.push_back('\\');
        }
        out.push_back(c);
    }
    out.push_back('"');
}

}  // namespace onceward::request
