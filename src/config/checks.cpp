#include "config/checks.hpp"

#include "config/source_syntax.hpp"
#include "config/units.hpp"
#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <initializer_list>

namespace onceward::config {

namespace {

/// The value behind `keys`, one inside the other; where that was not given, what is nearest to it.
Cursor at(const Cursor& cursor, std::initializer_list<std::string_view> keys) {
    const Node* node = &cursor.node;
    std::string path = cursor.path;
    for (const auto key : keys) {
        path = member_path(path, key);
        const auto* member = node->find(key);
        node = member == nullptr ? node : &member->value;
    }
    return {*node, std::move(path), cursor.report};
}

bool has_parameter(std::string_view pattern, std::string_view name) {
    return pattern.find("{" + std::string(name) + "}") != std::string_view::npos;
}

void check_path_source(const Cursor& cursor, const Route& route, const Source& source) {
    if (source.kind == SourceKind::path && !has_parameter(route.path, source.name)) {
        cursor.error(to_text(source) + " names no segment of " + route.path + ": expected a {" + source.name + "} in the path");
    }
}

void check_path_sources(const Cursor& cursor, const Route& route) {
    for (const auto& alternative : route.key.from) {
        for (const auto& source : alternative) {
            check_path_source(at(cursor, {"key", "from"}), route, source);
        }
    }
    for (const auto& source : route.scope) {
        check_path_source(at(cursor, {"scope"}), route, source);
    }
    for (const auto& source : route.caller) {
        check_path_source(at(cursor, {"caller"}), route, source);
    }
}

/// A field that is dropped from what an untrusted peer sends, so that it never reaches the fingerprint.
bool is_dropped(const Source& source, const Options& options) {
    return options.trusted_proxies.empty() && names_the_client(source);
}

void check_caller(const Cursor& cursor, const Options& options, const Route& route) {
    const auto caller = at(cursor, {"caller"});
    const auto is_token = [](const Source& source) { return source.kind == SourceKind::jwt; };
    if (route.caller.empty()) {
        caller.warning("nothing says who asks: clients that use the same key get each other's answers");
    } else if (std::all_of(route.caller.begin(), route.caller.end(), is_token) && !options.jwt_verified) {
        caller.error("a claim of a token that nobody verified: expected the top-level jwt_verified: true, or another source too");
    } else if (std::all_of(route.caller.begin(), route.caller.end(),
                           [&](const Source& source) { return is_dropped(source, options); })) {
        caller.warning("nothing supplies this: without trusted_proxies these fields are dropped");
    }
}

void check_times(const Cursor& cursor, const Options& options, const Route& route) {
    if (route.lease > route.retention) {
        const std::string_view given = cursor.node.find("lease") != nullptr ? "lease" : "retention";
        at(cursor, {given})
            .error("the lease of " + to_text(route.lease) + " is longer than the retention of " + to_text(route.retention) +
                   ": expected at most as long");
    }
    if (route.retention < options.upstream.execution_timeout) {
        at(cursor, {"retention"})
            .warning("the retention of " + to_text(route.retention) + " is shorter than the execution_timeout of " +
                     to_text(options.upstream.execution_timeout) + ": a slow request may be forgotten before its client retries");
    }
    if (options.store.timeout * 6 > route.lease) {
        at(cursor, {"lease"})
            .warning("the store.timeout of " + to_text(options.store.timeout) + " is over a sixth of the lease of " +
                     to_text(route.lease) + ": one slow operation can lose a claim");
    }
}

std::string_view take_segment(std::string_view& path) {
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

/// Whether every target that `later` takes is taken by `earlier`.
bool covers(const Route& earlier, const Route& later) {
    std::string_view wide = earlier.path;
    std::string_view narrow = later.path;
    while (!wide.empty() && !narrow.empty()) {
        const auto taker = take_segment(wide);
        const auto taken = take_segment(narrow);
        if (taker == "**") {
            return true;
        }
        const bool equal = earlier.case_sensitive ? taker == taken && later.case_sensitive : base::iequals(taker, taken);
        const bool any = taker.starts_with('{') && taken != "**" && !taken.empty();
        if (!equal && !any) {
            return false;
        }
    }
    return wide.empty() == narrow.empty();
}

void check_reached(const Cursor& cursor, const Options& options, const Route& route) {
    for (const auto& earlier : options.routes) {
        const bool same_path = covers(earlier, route);
        const auto taken = [&](const std::string& method) {
            return std::find(earlier.methods.begin(), earlier.methods.end(), method) != earlier.methods.end();
        };
        if (same_path && std::all_of(route.methods.begin(), route.methods.end(), taken)) {
            at(cursor, {"path"}).warning("never reached: the route " + earlier.name + " before it takes its path and methods");
            return;
        }
    }
}

bool listens_at(const Options& options, const Address& address) {
    const auto is_there = [&](const Listener& listener) { return to_text(listener.address) == to_text(address); };
    return std::any_of(options.listen.begin(), options.listen.end(), is_there);
}

void check_subject(const Cursor& cursor, const Options& options, const Route& route) {
    if (!reads_subject(route)) {
        return;
    }
    const auto shows_none = [](const Listener& listener) { return !listener.tls || listener.tls->client_ca.path.empty(); };
    const auto first = std::find_if(options.listen.begin(), options.listen.end(), shows_none);
    if (!supplies_subjects(options)) {
        cursor.error("the route " + route.name +
                     " reads tls:subject and no client has to show a certificate: expected a listener " + "with tls.client_ca");
    } else if (first != options.listen.end()) {
        cursor.warning("the route " + route.name + " reads tls:subject: clients of " + to_text(first->address) +
                       " have none and count as one");
    }
}

/// `cursor` is at `admin`.
void check_admin(const Cursor& cursor, const Options& options, const Admin& admin) {
    const auto address = to_text(admin.address);
    const auto is_same = [&](const Address& other) { return to_text(other) == address; };
    const bool clients_too = listens_at(options, admin.address);
    if (clients_too || (options.health && is_same(*options.health))) {
        cursor.error(address + " is an address of " + (clients_too ? "listen" : "health") + " too: expected another one");
    }
    if (!admin.address.is_unix() && !is_loopback(admin.address.host) && admin.token_file.empty()) {
        cursor.error(
            address +
            " can be reached from other hosts: expected a mapping {address, token_file}, a loopback address or unix:/path");
    }
}

}  // namespace

bool supplies_subjects(const Options& options) {
    return std::any_of(options.listen.begin(), options.listen.end(),
                       [](const Listener& listener) { return listener.tls && !listener.tls->client_ca.path.empty(); });
}

void check_route(const Cursor& cursor, const Options& options, const Route& route) {
    check_path_sources(cursor, route);
    check_caller(cursor, options, route);
    check_subject(cursor, options, route);
    check_times(cursor, options, route);
    check_reached(cursor, options, route);
    if (!route.fingerprint.ignore.empty() && route.fingerprint.json == JsonMode::raw) {
        at(cursor, {"fingerprint", "ignore"}).warning("has no effect: JSON pointers are left out only with json: canonical");
    }
}

void check_options(const Cursor& cursor, const Options& options) {
    if (options.admin) {
        check_admin(at(cursor, {"admin"}), options, *options.admin);
    }
    if (options.health && listens_at(options, *options.health)) {
        at(cursor, {"health"}).error(to_text(*options.health) + " is an address of listen too: expected another one");
    }
    if (!options.upstream.secure && options.upstream.tls != UpstreamTls{}) {
        at(cursor, {"upstream", "tls"}).error("the service is not spoken to by TLS: expected a url that begins with https://");
    }
    if (listens_at(options, options.upstream.address)) {
        at(cursor, {"upstream"}).warning("the upstream is this proxy's own listener");
    }
    if (options.upstream.response_timeout > options.upstream.execution_timeout) {
        at(cursor, {"upstream", "response_timeout"})
            .warning("longer than the execution_timeout of " + to_text(options.upstream.execution_timeout) +
                     ", which ends the wait first");
    }
    if (options.worker_id && options.store.kind != StoreKind::redis) {
        at(cursor, {"worker_id"})
            .warning("several replicas on a store that is not shared: each of them would execute the same key");
    }
}

}  // namespace onceward::config
