#include "admin/access.hpp"

#include "onceward/base/ascii.hpp"

namespace onceward::admin {

namespace {

/// Host of `host:port`, IPv6 without brackets.
std::string host_of(std::string_view authority) {
    if (!authority.empty() && authority.front() == '[') {
        const auto end = authority.find(']');
        return std::string(end == std::string_view::npos ? std::string_view{} : authority.substr(1, end - 1));
    }
    return base::to_lower(authority.substr(0, authority.find(':')));
}

/// TLS may end in front of this listener, so that either scheme is ours.
bool is_same_origin(std::string_view origin, std::string_view host) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.substr(0, scheme.size()) == scheme) {
            return base::iequals(origin.substr(scheme.size()), host);
        }
    }
    return false;
}

}  // namespace

std::optional<std::string> cross_site_complaint(const http::RequestHead& head, const config::Address& address) {
    if (!address.is_unix() && config::is_loopback(address.host) && !config::is_loopback(host_of(head.host))) {
        return "the Host of the request is not one of this listener: expected localhost, 127.0.0.1 or [::1]";
    }
    std::optional<std::string> complaint;
    head.headers.for_each_value("Origin", [&](std::string_view origin) {
        if (!is_same_origin(origin, head.host)) {
            complaint = "the request comes from a page of another site (Origin)";
        }
    });
    head.headers.for_each_value("Sec-Fetch-Site", [&](std::string_view site) {
        if (!base::iequals(site, "same-origin") && !base::iequals(site, "none")) {
            complaint = "the request comes from a page of another site (Sec-Fetch-Site)";
        }
    });
    return complaint;
}

std::optional<std::string> content_type_complaint(const http::RequestHead& head) {
    const bool has_content = head.framing.kind == http::BodyFraming::Kind::chunked ||
                             (head.framing.kind == http::BodyFraming::Kind::length && head.framing.length > 0);
    const auto count = head.headers.count("Content-Type");
    if (count == 0 && !has_content) {
        return std::nullopt;
    }
    const auto type = head.headers.find("Content-Type");
    if (count != 1 || !base::iequals(base::trim(type.substr(0, type.find(';'))), "application/json")) {
        return "content of this type is not taken: expected Content-Type: application/json";
    }
    return std::nullopt;
}

}  // namespace onceward::admin
