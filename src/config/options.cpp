#include "onceward/config/options.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

constexpr int client_failures[] = {401, 403, 407, 408, 425, 429};
constexpr int lost_behind_a_gateway[] = {502, 504};

std::string_view prefix_of(SourceKind kind) {
    switch (kind) {
        case SourceKind::header:
            return "header";
        case SourceKind::query:
            return "query";
        case SourceKind::json:
            return "json";
        case SourceKind::form:
            return "form";
        case SourceKind::multipart:
            return "multipart";
        case SourceKind::path:
            return "path";
        case SourceKind::host:
            return "host";
        case SourceKind::tls_subject:
            return "tls:subject";
        case SourceKind::derived:
            return "derived";
        case SourceKind::jwt:
            return "jwt";
    }
    return {};
}

}  // namespace

std::string to_text(const Address& address) {
    if (address.is_unix()) {
        return "unix:" + address.unix_path;
    }
    const bool v6 = address.host.find(':') != std::string::npos;
    return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_loopback(std::string_view host) {
    // What holds only digits and dots was checked to be an address.
    const bool numeric = host.find_first_not_of("0123456789.") == std::string_view::npos;
    return host == "localhost" || host == "::1" || (numeric && host.substr(0, 4) == "127.");
}

std::string to_text(const Source& source) {
    std::string text(prefix_of(source.kind));
    if (!source.name.empty()) {
        text += ':';
        text += source.name;
    }
    return text;
}

bool reads_subject(const Route& route) {
    const auto is_subject = [](const Source& source) { return source.kind == SourceKind::tls_subject; };
    const auto any = [&](const SourceList& list) { return std::any_of(list.begin(), list.end(), is_subject); };
    return any(route.scope) || any(route.caller) || std::any_of(route.key.from.begin(), route.key.from.end(), any);
}

void StatusSet::add_class(int hundreds) {
    for (int status = hundreds * 100; status < hundreds * 100 + 100; ++status) {
        add(status);
    }
}

const Route* find_route(const std::vector<Route>& routes, std::string_view name) {
    const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& route) { return route.name == name; });
    return found == routes.end() ? nullptr : &*found;
}

Outcomes outcomes_of(OutcomeProfile profile) {
    Outcomes outcomes;
    outcomes.profile = profile;
    for (const int status : client_failures) {
        outcomes.fail.add(status);
    }
    if (profile == OutcomeProfile::strict) {
        outcomes.hold.add_class(5);
    } else {
        for (const int status : lost_behind_a_gateway) {
            outcomes.hold.add(status);
        }
    }
    for (int status = 500; status <= 599; ++status) {
        // Stripe's rule: a 500 is the result of the operation, so it is recorded and replayed.
        if (!(profile == OutcomeProfile::stripe && status == 500)) {
            outcomes.fail.add(status);
        }
    }
    return outcomes;
}

}  // namespace onceward::config
