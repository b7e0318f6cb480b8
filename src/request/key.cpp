#include "request/key.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/request/identify.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace onceward::request {

namespace {

// RFC 9651 section 4.2.5.
bool read_quoted(std::string_view text, std::string& key) {
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        char c = text[i];
        if (c == '\\') {
            ++i;
            if (i + 1 == text.size() || (text[i] != '"' && text[i] != '\\')) {
                return false;
            }
            c = text[i];
        } else if (c == '"' || c < 0x20 || c > 0x7e) {
            return false;
        }
        key.push_back(c);
    }
    return true;
}

/// Most quoted keys hold no escape.
bool is_plain(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\'; });
}

bool is_bare_char(char c) {
    return base::is_token_char(c) || c == ':' || c == '/' || c == '=' || c == '@';
}

}  // namespace

bool is_key_length(std::string_view key) {
    return !key.empty() && key.size() <= key_bytes_max;
}

bool read_key(std::string_view field_value, std::string& key) {
    key.clear();
    const auto text = base::trim(field_value);
    if (text.starts_with('"')) {
        if (text.size() < 2 || !text.ends_with('"')) {
            return false;
        }
        if (const auto inside = text.substr(1, text.size() - 2); is_plain(inside)) {
            key.assign(inside);
            return is_key_length(key);
        }
        return read_quoted(text, key) && is_key_length(key);
    }
    key.append(text);
    return std::all_of(text.begin(), text.end(), is_bare_char) && is_key_length(key);
}

std::optional<std::string> parse_key(std::string_view field_value) {
    std::string key;
    return read_key(field_value, key) ? std::optional(std::move(key)) : std::nullopt;
}

bool valid_pattern(const std::string& text) {
    return RE2(text, RE2::Quiet).ok();
}

}  // namespace onceward::request
