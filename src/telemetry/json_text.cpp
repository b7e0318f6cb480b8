#include "telemetry/json_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace onceward::telemetry {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t size = 0;  // 0: the bytes are not UTF-8
};

bool is_continuation(unsigned char c) {
    return (c & 0xC0U) == 0x80U;
}

/// Decodes the multi-byte sequence at the start of `text`, which is not empty. Overlong forms, surrogates and values over
/// U+10FFFF are not UTF-8 (RFC 3629 section 3).
CodePoint decode_multi_byte(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    std::size_t size = 0;
    std::uint32_t value = 0;
    std::uint32_t least = 0;
    if ((lead & 0xE0U) == 0xC0U) {
        size = 2, value = lead & 0x1FU, least = 0x80;
    } else if ((lead & 0xF0U) == 0xE0U) {
        size = 3, value = lead & 0x0FU, least = 0x800;
    } else if ((lead & 0xF8U) == 0xF0U) {
        size = 4, value = lead & 0x07U, least = 0x10000;
    } else {
        return {};
    }
    if (text.size() < size) {
        return {};
    }
    for (std::size_t i = 1; i < size; ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (!is_continuation(c)) {
            return {};
        }
        value = (value << 6U) | (c & 0x3FU);
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least || value > 0x10FFFF || surrogate) {
        return {};
    }
    return {value, size};
}

bool breaks_lines(std::uint32_t code_point) {
    return (code_point >= 0x80 && code_point <= 0x9F) || code_point == 0x2028 || code_point == 0x2029;
}

void append_u_escape(std::string& out, std::uint32_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u";
    for (unsigned shift = 16; shift > 0; shift -= 4) {
        out += digits[(value >> (shift - 4)) & 0xFU];
    }
}

void append_ascii_escape(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            append_u_escape(out, static_cast<unsigned char>(c));
    }
}

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

template <typename Number>
void append_chars(std::string& out, Number value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    out.append(text, end.ptr);
}

void append_padded(std::string& out, unsigned value, unsigned width) {
    char text[8];
    for (unsigned i = width; i > 0; --i) {
        text[i - 1] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
    out.append(text, width);
}

}  // namespace

void append_json_escaped(std::string& out, std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        std::size_t plain = i;
        while (plain < text.size() && is_plain(text[plain])) {
            ++plain;
        }
        out.append(text, i, plain - i);
        if (plain == text.size()) {
            return;
        }
        i = plain;
        if (static_cast<unsigned char>(text[i]) < 0x80) {
            append_ascii_escape(out, text[i]);
            ++i;
            continue;
        }
        const auto code_point = decode_multi_byte(text.substr(i));
        if (code_point.size == 0) {
            out += replacement;
            ++i;
        } else if (breaks_lines(code_point.value)) {
            append_u_escape(out, code_point.value);
            i += code_point.size;
        } else {
            out.append(text, i, code_point.size);
            i += code_point.size;
        }
    }
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    append_json_escaped(out, text);
    out += '"';
}

void append_integer(std::string& out, std::int64_t value) {
    append_chars(out, value);
}
void append_integer(std::string& out, std::uint64_t value) {
    append_chars(out, value);
}

void append_json_number(std::string& out, double value) {
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    const auto size = std::abs(value);
    if (size != 0 && (size < 1e-6 || size >= 1e15)) {
        append_chars(out, value);
        return;
    }
    // Left to itself, to_chars writes 0.0005 as 5e-04.
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
    out.append(text, end.ptr);
}

void append_rfc3339(std::string& out, StoreTime time) {
    using namespace std::chrono;
    const auto since_epoch = time.time_since_epoch();
    const auto day = floor<days>(since_epoch);
    const year_month_day date{sys_days{day}};
    const auto ms = static_cast<unsigned>(floor<milliseconds>(since_epoch - day).count());
    append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    append_padded(out, ms / 3'600'000, 2);
    out += ':';
    append_padded(out, ms / 60'000 % 60, 2);
    out += ':';
    append_padded(out, ms / 1000 % 60, 2);
    out += '.';
    append_padded(out, ms % 1000, 3);
    out += 'Z';
}

}  // namespace onceward::telemetry
