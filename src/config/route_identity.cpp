#include "config/route_identity.hpp"

#include "config/keys.hpp"
#include "config/source_syntax.hpp"
#include "onceward/base/ascii.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

bool same_source(const Source& a, const Source& b) {
    return a.kind == b.kind && (a.kind == SourceKind::header ? base::iequals(a.name, b.name) : a.name == b.name);
}
bool same_sources(const SourceList& a, const SourceList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_source);
}
bool same_alternatives(const std::vector<SourceList>& a, const std::vector<SourceList>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_sources);
}

template <typename Test>
bool any_identity_source(const Route& route, Test test) {
    const auto any = [&](const SourceList& list) { return std::any_of(list.begin(), list.end(), test); };
    return any(route.scope) || std::any_of(route.key.from.begin(), route.key.from.end(), any);
}

bool is_derived(const Source& source) {
    return source.kind == SourceKind::derived;
}

/// What the fingerprint, and so a derived key, is made by.
Json fingerprint_rule(const Route& route) {
    const auto keys = write_keys(route_keys(), route);
    return Json{{"fingerprint", keys["fingerprint"]}, {"case_sensitive", keys["case_sensitive"]}};
}

}  // namespace

std::string named(const std::string& route) {
    return "routes[" + route + "]";
}

std::vector<std::string> identity_changes(PlacedRoute before, PlacedRoute after) {
    std::vector<std::string> out;
    const auto& old = before.route;
    const auto& route = after.route;
    const auto add = [&](std::string_view key, std::string_view what) {
        out.push_back(named(route.name) + std::string(key) + ": " + std::string(what) + std::string(another_record));
    };
    if (!same_alternatives(old.key.from, route.key.from)) {
        add(".key.from", "the key of a request would be another");
    } else if (any_identity_source(route, is_derived) && fingerprint_rule(old) != fingerprint_rule(route)) {
        add(".fingerprint", "the key is derived from it");
    }
    if (!same_sources(old.scope, route.scope)) {
        add(".scope", "the scope of a key would be another");
    }
    const auto networks = [](const Options& options) { return write_keys(option_keys(), options)["trusted_proxies"]; };
    if (any_identity_source(route, names_the_client) && networks(before.options) != networks(after.options)) {
        add("", "its key or scope is read from a field that trusted_proxies decides about");
    }
    return out;
}

}  // namespace onceward::config
