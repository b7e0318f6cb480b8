#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace onceward::request {

/// The claims of a bearer token as JSON text (RFC 7519), not verified. Nothing when `authorization` holds no such token.
std::optional<std::string> bearer_claims(std::string_view authorization);

}  // namespace onceward::request
