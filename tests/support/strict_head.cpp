#include "strict_head.hpp"

#include <algorithm>
#include <cctype>

namespace onceward::test {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool all_of(std::string_view text, bool (*is)(char)) {
    return std::all_of(text.begin(), text.end(), is);
}
bool is_tchar(char c) {
    return is_digit(c) || is_alpha(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool is_reg_name_char(char c) {
    return is_digit(c) || is_alpha(c) || std::string_view("-._~%!$&'()*+,;=").find(c) != std::string_view::npos;
}
bool is_literal_char(char c) {
    return is_digit(c) || is_alpha(c) || std::string_view("-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
}

/// Takes `HTTP/1.0` or `HTTP/1.1` off the front.
bool take_version(std::string_view& text, int& minor) {
    constexpr std::string_view prefix = "HTTP/1.";
    if (text.substr(0, prefix.size()) != prefix || text.size() == prefix.size()) {
        return false;
    }
    minor = text[prefix.size()] - '0';
    text.remove_prefix(prefix.size() + 1);
    return minor == 0 || minor == 1;
}

bool read_absolute_form(std::string_view target, StrictRequest& request) {
    const auto colon = target.find("://");
    if (colon == std::string_view::npos) {
        return false;
    }
    const auto scheme = target.substr(0, colon);
    const auto rest = target.substr(colon + 3);
    const auto authority = rest.substr(0, rest.find_first_of("/?"));
    if ((!same_name(scheme, "http") && !same_name(scheme, "https")) || authority.empty() || authority.front() == ':' ||
        !is_authority(authority)) {
        return false;
    }
    request.authority = authority;
    request.path = rest.substr(authority.size());
    if (request.path.empty() && request.method == "OPTIONS") {
        request.path = "*";
    } else if (request.path.empty() || request.path.front() == '?') {
        request.path.insert(0, "/");
    }
    return true;
}

/// RFC 9112 section 3.2: the Host field there must be, and what it says.
bool read_host(StrictRequest& request) {
    const auto count = count_fields(request.fields, "Host");
    const auto host = field_value(request.fields, "Host");
    if (count > 1 || (count == 0 && request.minor_version == 1) || !is_authority(host)) {
        return false;
    }
    if (request.authority.empty()) {
        request.authority = host;
    }
    return true;
}

bool keeps_alive(const StrictMessage& message) {
    return !has_member(message.fields, "Connection", "close") &&
           (message.minor_version == 1 || has_member(message.fields, "Connection", "keep-alive"));
}

/// The one length that all Content-Length fields say.
std::optional<std::uint64_t> agreed_length(const StrictFields& fields) {
    std::optional<std::uint64_t> length;
    for (const auto& member : list_members(fields, "Content-Length")) {
        const auto value = decimal(member);
        if (!value || (length && *length != *value)) {
            return std::nullopt;
        }
        length = value;
    }
    return length;
}

bool is_chunked_alone(const StrictMessage& message) {
    return message.minor_version == 1 && count_fields(message.fields, "Content-Length") == 0 &&
           count_fields(message.fields, "Transfer-Encoding") == 1 &&
           same_name(field_value(message.fields, "Transfer-Encoding"), "chunked");
}

}  // namespace

bool is_token(std::string_view text) {
    return !text.empty() && all_of(text, is_tchar);
}

bool is_field_text(std::string_view text) {
    return all_of(text, [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); });
}

bool is_authority(std::string_view text) {
    std::size_t end = 0;
    if (text.substr(0, 1) == "[") {
        end = text.find(']');
        if (end == std::string_view::npos || end == 1 || !all_of(text.substr(1, end - 1), is_literal_char)) {
            return false;
        }
        ++end;
    } else {
        end = std::min(text.find(':'), text.size());
        if (!all_of(text.substr(0, end), is_reg_name_char)) {
            return false;
        }
    }
    const auto port = text.substr(end);
    return port.empty() || (port.front() == ':' && all_of(port.substr(1), is_digit));
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
    std::uint64_t value = 0;
    for (const char c : digits) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (!is_digit(c) || value > (INT64_MAX - digit) / 10) {
            return std::nullopt;
        }
        value = value * 10 + digit;
    }
    return digits.empty() ? std::nullopt : std::optional(value);
}

bool read_request_line(std::string_view line, StrictRequest& request) {
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
        return false;
    }
    request.method = line.substr(0, first);
    request.target = line.substr(first + 1, second - first - 1);
    auto version = line.substr(second + 1);
    const bool visible = all_of(request.target, [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
    if (!is_token(request.method) || request.method == "CONNECT" || request.target.empty() || !visible ||
        !take_version(version, request.minor_version) || !version.empty()) {
        return false;
    }
    if (request.target.front() == '/') {
        request.path = request.target;
        return true;
    }
    if (request.target == "*") {
        request.path = "*";
        return request.method == "OPTIONS";
    }
    return read_absolute_form(request.target, request);
}

bool read_status_line(std::string_view line, StrictResponse& response) {
    if (!take_version(line, response.minor_version) || line.size() < 4 || line[0] != ' ' ||
        !all_of(line.substr(1, 3), is_digit)) {
        return false;
    }
    response.status = static_cast<int>(*decimal(line.substr(1, 3)));
    const auto rest = line.substr(4);
    if (!rest.empty() && rest.front() != ' ') {
        return false;
    }
    response.reason = rest.substr(std::min<std::size_t>(1, rest.size()));
    return response.status >= 100;
}

bool frame(StrictRequest& request, std::uint64_t& length) {
    if (!read_host(request)) {
        return false;
    }
    request.persists = keeps_alive(request);
    if (count_fields(request.fields, "Transfer-Encoding") > 0) {
        request.coding = Coding::chunked;
        return is_chunked_alone(request);
    }
    if (const auto count = count_fields(request.fields, "Content-Length"); count > 0) {
        const auto value = decimal(field_value(request.fields, "Content-Length"));
        request.coding = Coding::length;
        length = value.value_or(0);
        return count == 1 && value;
    }
    return true;
}

bool frame(StrictResponse& response, std::string_view request_method, std::uint64_t& length) {
    const bool has_length = count_fields(response.fields, "Content-Length") > 0;
    const auto agreed = agreed_length(response.fields);
    const bool coded = count_fields(response.fields, "Transfer-Encoding") > 0;
    if ((has_length && !agreed) || (coded && !is_chunked_alone(response))) {
        return false;
    }
    response.persists = keeps_alive(response);
    if (request_method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304) {
        return true;
    }
    response.coding = coded ? Coding::chunked : has_length ? Coding::length : Coding::until_close;
    response.persists = response.persists && response.coding != Coding::until_close;
    length = agreed.value_or(0);
    return true;
}

}  // namespace onceward::test
