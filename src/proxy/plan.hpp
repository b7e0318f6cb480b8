#pragma once

#include "onceward/config/options.hpp"
#include "onceward/crypto/tls_context.hpp"
#include "onceward/request/identify.hpp"
#include "onceward/route/route_table.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace onceward::proxy {

/// A configuration, compiled for the request path. Immutable; shared by the loops.
struct Plan {
    explicit Plan(config::Options opts);
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    const config::Options options;
    route::RouteTable routes;
    std::vector<request::Identifier> identifiers;             ///< one a route, in order
    std::vector<std::vector<std::string_view>> key_headers;   ///< headers that a route takes its key from
    std::vector<std::vector<std::string_view>> read_headers;  ///< headers of its scope, caller and fingerprint
    std::optional<std::vector<bool>> path_keys;               ///< which routes take a key from the path; nothing: none does
    std::vector<crypto::TlsContextPtr> listener_tls;          ///< one a listener, in order; none where it has no TLS
    crypto::TlsContextPtr upstream_tls;                       ///< none where the url is not https
    std::string default_host;                                 ///< Host where an HTTP/1.0 client sent none
};
using PlanPtr = std::shared_ptr<const Plan>;

}  // namespace onceward::proxy
