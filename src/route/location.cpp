#include "onceward/base/ascii.hpp"
#include "onceward/route/target.hpp"

#include <algorithm>
#include <optional>

namespace onceward::route {

namespace {

// RFC 3986 section 3: the parts of a reference. Without a path the request's own is meant.
struct Reference {
    std::optional<std::string_view> authority;
    std::string_view path;
    std::optional<std::string_view> query;
};

bool is_scheme_char(char c) {
    return base::is_digit(c) || (base::to_lower(c) >= 'a' && base::to_lower(c) <= 'z') || c == '+' || c == '-' || c == '.';
}

// Nothing for a scheme other than http and https, or one without an authority.
std::optional<Reference> parse_reference(std::string_view text) {
    text = text.substr(0, text.find('#'));
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && colon > 0 &&
        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), is_scheme_char)) {
        const auto scheme = text.substr(0, colon);
        text.remove_prefix(colon + 1);
        if ((!base::iequals(scheme, "http") && !base::iequals(scheme, "https")) || !text.starts_with("//")) {
            return std::nullopt;
        }
    }
    Reference reference;
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        reference.authority = text.substr(0, text.find_first_of("/?"));
        text.remove_prefix(reference.authority->size());
    }
    const auto mark = text.find('?');
    reference.path = text.substr(0, mark);
    if (mark != std::string_view::npos) {
        reference.query = text.substr(mark + 1);
    }
    return reference;
}

std::string_view without_default_port(std::string_view authority) {
    for (const std::string_view port : {":80", ":443", ":"}) {
        if (authority.ends_with(port)) {
            return authority.substr(0, authority.size() - port.size());
        }
    }
    return authority;
}

bool same_authority(std::string_view a, std::string_view b) {
    return base::iequals(without_default_port(a), without_default_port(b));
}

}  // namespace

bool names_target_of(const http::RequestHead& request, std::string_view location, PathCase path_case) {
    location = base::trim(location);
    const auto reference = parse_reference(location);
    // An empty Location is no redirect to anywhere.
    if (location.empty() || !reference || (reference->authority && !same_authority(*reference->authority, request.host))) {
        return false;
    }
    // RFC 3986 section 5.2.2.
    std::string path(reference->path);
    std::string_view query = reference->query.value_or(std::string_view{});
    if (path.empty() && !reference->authority) {
        path = request.path;
        query = reference->query.value_or(request.query);
    } else if (!path.starts_with('/') && !reference->authority) {
        path.insert(0, request.path, 0, request.path.rfind('/') + 1);
    }
    return normalised_target(path, query, path_case) == normalised_target(request.path, request.query, path_case);
}

}  // namespace onceward::route
