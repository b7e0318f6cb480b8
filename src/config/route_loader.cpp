#include "config/route_loader.hpp"

#include "config/checks.hpp"
#include "config/keys.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

constexpr std::size_t name_max = 64;

/// `over` with what only `under` has: mappings merge, everything else replaces.
Node merged(const Node& under, const Node& over) {
    if (under.kind != Node::Kind::mapping || over.kind != Node::Kind::mapping) {
        return over;
    }
    Node out = over;
    for (const auto& member : under.members) {
        const auto same_key = [&](const Node::Member& other) { return other.key == member.key; };
        const auto given = std::find_if(out.members.begin(), out.members.end(), same_key);
        if (given == out.members.end()) {
            out.members.push_back(member);
        } else {
            given->value = merged(member.value, given->value);
        }
    }
    return out;
}

/// `/api/orders/{id}` gives `api-orders-id`.
std::string name_from(const std::string& path) {
    std::string name;
    for (const char c : path) {
        if (is_plain_name({&c, 1})) {
            name += c;
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    name.resize(std::min(name.size(), name_max));
    while (!name.empty() && name.back() == '-') {
        name.pop_back();
    }
    return name.empty() ? "root" : name;
}

/// A name that another route has already.
void check_unique(const Cursor& cursor, const Options& options, const Route& route) {
    const auto same_name = [&](const Route& other) { return other.name == route.name; };
    if (std::none_of(options.routes.begin(), options.routes.end(), same_name)) {
        return;
    }
    const auto* name = cursor.node.find("name");
    const Cursor at =
        name != nullptr ? cursor.member(*name) : Cursor{cursor.node, member_path(cursor.path, "name"), cursor.report};
    at.error("another route is called " + shown(route.name) + " already: expected a name of its own");
}

void load_route(const Cursor& cursor, const Node* defaults, Options& options) {
    const auto errors = cursor.report.error_count();
    const Node node = defaults != nullptr ? merged(*defaults, cursor.node) : cursor.node;
    const Cursor whole{node, cursor.path, cursor.report};
    Route route;
    read_keys(whole, route_keys(), route);
    if (route.name.empty()) {
        route.name = name_from(route.path);
    }
    if (!route.path.empty()) {
        check_unique(cursor, options, route);
    }
    if (cursor.report.error_count() == errors) {
        check_route(whole, options, route);
    }
    options.routes.push_back(std::move(route));
}

}  // namespace

void load_routes(const Cursor& root, Options& options) {
    const Node* defaults = nullptr;
    if (const auto* member = root.node.find("defaults")) {
        Route unused;
        read_keys(root.member(*member), default_keys(), unused);
        defaults = member->value.kind == Node::Kind::mapping ? &member->value : nullptr;
    }
    const auto* member = root.node.find("routes");
    if (member == nullptr) {
        return;
    }
    const auto routes = root.member(*member);
    if (routes.node.kind != Node::Kind::sequence) {
        routes.mismatch("a list of routes");
        return;
    }
    if (routes.node.items.empty()) {
        routes.warning("no routes: nothing is guarded");
    }
    for (std::size_t i = 0; i < routes.node.items.size(); ++i) {
        load_route(routes.item(i), defaults, options);
    }
}

}  // namespace onceward::config
