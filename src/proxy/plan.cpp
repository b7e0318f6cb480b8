#include "proxy/plan.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace onceward::proxy {

namespace {

void add_headers(std::vector<std::string_view>& names, const config::SourceList& sources) {
    for (const auto& source : sources) {
        if (source.kind == config::SourceKind::header) {
            names.emplace_back(source.name);
        }
    }
}

std::vector<std::string_view> key_headers_of(const config::Route& route) {
    std::vector<std::string_view> names;
    for (const auto& alternative : route.key.from) {
        add_headers(names, alternative);
    }
    return names;
}

std::vector<std::string_view> read_headers_of(const config::Route& route) {
    std::vector<std::string_view> names;
    add_headers(names, route.scope);
    add_headers(names, route.caller);
    for (const auto& part : route.fingerprint.parts) {
        if (part.kind == config::PartKind::header) {
            names.emplace_back(part.header);
        }
    }
    return names;
}

bool takes_key_from_path(const config::Route& route) {
    const auto is_path = [](const config::Source& source) { return source.kind == config::SourceKind::path; };
    return std::any_of(route.key.from.begin(), route.key.from.end(),
                       [&](const config::SourceList& list) { return std::any_of(list.begin(), list.end(), is_path); });
}

/// The loader has made the same of the same files, and refused what it could not be made of.
crypto::TlsContextPtr taken(std::variant<crypto::TlsContextPtr, crypto::TlsComplaint> made) {
    auto* context = std::get_if<crypto::TlsContextPtr>(&made);
    ONCEWARD_ASSERT(context != nullptr);
    return std::move(*context);
}

}  // namespace

Plan::Plan(config::Options opts)
    : options(std::move(opts)),
      routes(options),
      default_host(options.upstream.address.is_unix() ? "localhost" : config::to_text(options.upstream.address)) {
    identifiers.reserve(options.routes.size());
    for (std::size_t i = 0; i < options.routes.size(); ++i) {
        identifiers.emplace_back(options.routes[i], routes, i);
        key_headers.push_back(key_headers_of(options.routes[i]));
        read_headers.push_back(read_headers_of(options.routes[i]));
    }
    std::vector<bool> from_path;
    std::transform(options.routes.begin(), options.routes.end(), std::back_inserter(from_path), takes_key_from_path);
    if (std::find(from_path.begin(), from_path.end(), true) != from_path.end()) {
        path_keys = std::move(from_path);
    }
    for (const auto& listener : options.listen) {
        listener_tls.push_back(listener.tls ? taken(crypto::make_server_context(*listener.tls)) : nullptr);
    }
    if (options.upstream.secure) {
        upstream_tls = taken(crypto::make_client_context(options.upstream.tls));
    }
}

}  // namespace onceward::proxy
