#pragma once

#include "cli/arguments.hpp"
#include "cli/http_client.hpp"

#include <optional>
#include <string>
#include <variant>

/// @file
/// Where a running Onceward is reached.

namespace onceward::cli {

/// What can't be found out, for people. A wrong command line or configuration: exit code 2.
struct NoEndpoint {
    std::string what;
};

/// `http://host:port`, `host:port` or `unix:/path`.
std::variant<config::Address, NoEndpoint> parse_endpoint(const std::string& url);

/// Where a client of this host finds a listener: `0.0.0.0` and `::` stand for its loopback addresses.
config::Address reachable(config::Address address);

/// The admin listener: `--admin`, else the configuration's, else the default one.
std::variant<Endpoint, NoEndpoint> admin_endpoint(const Invocation& invocation);

/// The health listener: `--health`, else the configuration's (its admin listener where it has no other), else the default one.
std::variant<Endpoint, NoEndpoint> health_endpoint(const Invocation& invocation);

}  // namespace onceward::cli
