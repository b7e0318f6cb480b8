#pragma once

#include <string>
#include <string_view>

/// @file
/// Text rules of HTTP that know only ASCII, whatever the locale. Their one home.

namespace onceward::base {

constexpr char to_upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
constexpr char to_lower(char c) {
    return (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
}
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// `tchar` of RFC 9110 section 5.6.2.
bool is_token_char(char c);
/// One or more `tchar`.
bool is_token(std::string_view text);

/// Equal but for the case of ASCII letters.
bool iequals(std::string_view a, std::string_view b);
std::string to_lower(std::string_view text);

/// Without leading and trailing SP and HTAB (OWS of RFC 9110 section 5.6.3).
std::string_view trim(std::string_view text);

/// What stands between double quotes, for values that mean the same with and without (RFC 7240 section 2); escapes are left as
/// they are.
std::string_view unquoted(std::string_view text);

/// Calls `each` with every non-empty, trimmed member of a comma-separated list (RFC 9110 section 5.6.1).
/// Commas inside quoted strings do not separate.
template <typename Each>
void for_each_list_member(std::string_view list, Each&& each) {
    std::size_t start = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i < list.size()) {
            if (quoted && list[i] == '\\') {
                ++i;
                continue;
            }
            if (list[i] == '"') {
                quoted = !quoted;
            }
            if (quoted || list[i] != ',') {
                continue;
            }
        }
        const auto member = trim(list.substr(start, i < list.size() ? i - start : std::string_view::npos));
        if (!member.empty()) {
            each(member);
        }
        start = i + 1;
        if (start > list.size()) {
            break;
        }
    }
}

}  // namespace onceward::base
