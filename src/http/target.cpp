#include "http/target.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace onceward::http {

namespace {

constexpr bool is_alnum(char c) {
    const char lower = base::to_lower(c);
    return base::is_digit(c) || (lower >= 'a' && lower <= 'z');
}

bool is_host_char(char c) {
    return is_alnum(c) || std::string_view("-._~%!$&'()*+;=").find(c) != std::string_view::npos;
}
bool is_literal_char(char c) {
    return is_alnum(c) || std::string_view(".:-_~%").find(c) != std::string_view::npos;
}

bool is_port(std::string_view text) {
    unsigned port = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
    return text.empty() || (ec == std::errc{} && end == text.data() + text.size() && port <= 65535 && base::is_digit(text[0]));
}

// Visible ASCII but for `#`: a fragment is never sent, and other bytes are read in different ways (RFC 9112 section 3.2).
bool is_target_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
}

void split_path(RequestHead& head, std::string_view path_and_query) {
    const std::size_t mark = path_and_query.find('?');
    head.path.assign(path_and_query.substr(0, mark));
    head.has_query = mark != std::string_view::npos;
    if (head.has_query) {
        head.query.assign(path_and_query.substr(mark + 1));
    }
}

std::string_view without_scheme(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (target.size() >= scheme.size() && base::iequals(target.substr(0, scheme.size()), scheme)) {
            return target.substr(scheme.size());
        }
    }
    return {};
}

HeadError read_absolute_form(RequestHead& head) {
    const std::string_view rest = without_scheme(head.target);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
    if (authority.empty() || authority.front() == ':' || !is_authority(authority)) {
        return HeadError::bad_request;
    }
    // RFC 9112 section 3.2.2: Host is ignored.
    head.host.assign(authority);
    split_path(head, rest.substr(authority.size()));
    if (head.path.empty()) {
        // RFC 9112 section 3.2.4: OPTIONS without a path means the server itself.
        head.path = head.method == "OPTIONS" && !head.has_query ? "*" : "/";
    }
    return HeadError::none;
}

HeadError read_host(RequestHead& head) {
    std::size_t count = 0;
    head.headers.for_each_value("Host", [&](std::string_view value) {
        ++count;
        head.host.assign(value);
    });
    const bool missing = count == 0 && head.version == Version::http_1_1;
    return missing || count > 1 || !is_authority(head.host) ? HeadError::bad_request : HeadError::none;
}

}  // namespace

bool is_authority(std::string_view text) {
    std::string_view port;
    if (!text.empty() && text.front() == '[') {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos || close < 3) {
            return false;
        }
        const std::string_view literal = text.substr(1, close - 1);
        if (!std::all_of(literal.begin(), literal.end(), is_literal_char)) {
            return false;
        }
        port = text.substr(close + 1);
    } else {
        const std::size_t colon = std::min(text.find(':'), text.size());
        const std::string_view name = text.substr(0, colon);
        if (!std::all_of(name.begin(), name.end(), is_host_char)) {
            return false;
        }
        port = text.substr(colon);
    }
    return port.empty() || (port.front() == ':' && is_port(port.substr(1)));
}

HeadError read_target(RequestHead& head) {
    if (head.method == "CONNECT") {
        return HeadError::method_not_allowed;
    }
    if (!is_target_text(head.target)) {
        return HeadError::bad_request;
    }
    if (const HeadError error = read_host(head); error != HeadError::none) {
        return error;
    }
    if (head.target.front() == '/') {
        split_path(head, head.target);
        return HeadError::none;
    }
    if (head.target == "*") {
        head.path = "*";
        return head.method == "OPTIONS" ? HeadError::none : HeadError::bad_request;
    }
    return read_absolute_form(head);
}

}  // namespace onceward::http
