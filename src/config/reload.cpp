#include "onceward/config/reload.hpp"

#include "config/checks.hpp"
#include "config/former_routes.hpp"
#include "config/keys.hpp"
#include "config/route_identity.hpp"
#include "config/store_url.hpp"
#include "onceward/config/load.hpp"
#include "onceward/route/precedence.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

/// Whether a key of the file, or a section around it, is read at the start alone.
bool only_at_start(const std::vector<KeyInfo>& keys, std::string_view path) {
    const auto name = path.substr(0, path.find_first_of(".["));
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const KeyInfo& key) { return key.name == name; });
    if (found == keys.end()) {
        return false;
    }
    if (found->effect == Effect::at_start) {
        return true;
    }
    const bool deeper = found->keys && path.size() > name.size() && path[name.size()] == '.';
    return deeper && only_at_start(found->keys(), path.substr(name.size() + 1));
}

/// Appends the path of every value that differs.
void add_differences(const Json& before, const Json& after, const std::string& path, std::vector<std::string>& out) {
    if (!before.is_object() || !after.is_object()) {
        if (before != after) {
            out.push_back(path);
        }
        return;
    }
    for (const auto& [name, value] : after.items()) {
        const auto old = before.find(name);
        const auto here = path.empty() ? name : path + "." + name;
        if (old == before.end()) {
            out.push_back(here);
        } else {
            add_differences(*old, value, here, out);
        }
    }
    for (const auto& [name, value] : before.items()) {
        if (!after.contains(name)) {
            out.push_back(path.empty() ? name : path + "." + name);
        }
    }
}

/// Names that both lists have, in the order of the first.
std::vector<std::string> common_names(const std::vector<Route>& in, const std::vector<Route>& with) {
    std::vector<std::string> out;
    for (const auto& route : in) {
        if (find_route(with, route.name) != nullptr) {
            out.push_back(route.name);
        }
    }
    return out;
}

void add_route_differences(const Options& running, const Options& next, std::vector<std::string>& out) {
    for (const auto& route : next.routes) {
        if (const auto* old = find_route(running.routes, route.name)) {
            add_differences(write_keys(route_keys(), *old), write_keys(route_keys(), route), named(route.name), out);
        } else {
            out.push_back(named(route.name) + " (new)");
        }
    }
    for (const auto& route : running.routes) {
        if (find_route(next.routes, route.name) == nullptr) {
            out.push_back(named(route.name) + " (removed)");
        }
    }
    if (common_names(running.routes, next.routes) != common_names(next.routes, running.routes)) {
        out.emplace_back("routes (order)");
    }
}

/// Everything that differs but what can't be shown.
std::vector<std::string> differences(const Options& running, const Options& next) {
    std::vector<std::string> out;
    auto before = write_keys(option_keys(), running);
    auto after = write_keys(option_keys(), next);
    for (const auto* own : {"routes", "listen"}) {
        before.erase(own);
        after.erase(own);
    }
    add_differences(before, after, "", out);
    add_route_differences(running, next, out);
    return out;
}

/// What the new routes make of keys that were remembered under the old ones.
void compare_targets(const Options& running, const Options& next, Comparison& out) {
    for (const auto& shift : route::shifts(running.routes, next.routes)) {
        const auto target = shift.method + " " + shift.path;
        switch (shift.kind) {
            case route::Shift::Kind::taken:
                out.refused.push_back(named(shift.after) + ": it would take what " + named(shift.before) + " takes, such as " +
                                      target + std::string(another_record));
                break;
            case route::Shift::Kind::rebound:
                out.refused.push_back(named(shift.after) + ".path: its key or scope would be read from another segment of " +
                                      target + std::string(another_record));
                break;
            case route::Shift::Kind::unguarded:
                out.warnings.push_back(named(shift.before) + ": guards " + target +
                                       " no longer; keys that are remembered of it protect nothing now");
                break;
        }
    }
}

/// What listens, and what it speaks, without the certificates.
std::vector<std::string> places_of(const Options& options) {
    std::vector<std::string> places;
    for (const auto& listener : options.listen) {
        places.push_back(to_text(listener.address) + (listener.tls ? " tls" : "") + (listener.proxy_protocol ? " proxy" : ""));
    }
    return places;
}

/// Files may hold something else under the same name.
void compare_tls(const Options& running, const Options& next, Comparison& out) {
    for (const auto& listener : running.listen) {
        for (const auto& changed : next.listen) {
            if (changed.address == listener.address && changed.tls && listener.tls && changed.tls != listener.tls) {
                out.live.push_back("listen[" + to_text(listener.address) + "].tls");
            }
        }
    }
    const bool same_keys =
        write_keys(option_keys(), running)["upstream"]["tls"] == write_keys(option_keys(), next)["upstream"]["tls"];
    if (same_keys && running.upstream.tls != next.upstream.tls) {
        out.live.emplace_back("upstream.tls (files)");
    }
    const auto taken = taken_live(running, next);
    for (const auto& route : taken.routes) {
        if (reads_subject(route) && !supplies_subjects(taken)) {
            out.refused.push_back(named(route.name) +
                                  ": it reads tls:subject, and a listener with tls.client_ca is only there after "
                                  "a restart");
        }
    }
}

}  // namespace

void compare_identities(const Options& before, const Options& after, Comparison& out) {
    for (const auto& route : after.routes) {
        if (const auto* old = find_route(before.routes, route.name)) {
            const auto reasons = identity_changes({before, *old}, {after, route});
            out.refused.insert(out.refused.end(), reasons.begin(), reasons.end());
        }
    }
    compare_targets(before, after, out);
}

Comparison compare(const Options& running, const Options& next, const std::vector<FormerRoutes>& former) {
    Comparison out;
    const bool same_store = is_same_place(running.store, next.store);
    if (places_of(running) != places_of(next)) {
        out.at_start.emplace_back("listen");
    }
    for (auto& key : differences(running, next)) {
        if (key == "store.url" && same_store) {
            continue;  // spelt otherwise
        }
        (only_at_start(option_keys().infos, key) ? out.at_start : out.live).push_back(std::move(key));
    }
    compare_tls(running, next, out);
    if (same_store && running.store.redis.password != next.store.redis.password) {
        out.live.emplace_back("store.url (password)");
    }
    compare_identities(running, next, out);
    compare_former(former, running, next, out.warnings);
    return out;
}

Options taken_live(const Options& running, Options next) {
    keep_started(option_keys(), running, next);
    return next;
}

}  // namespace onceward::config
