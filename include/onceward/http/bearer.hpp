#pragma once

#include "onceward/base/ascii.hpp"

#include <optional>
#include <string_view>

namespace onceward::http {

/// The token of an `Authorization: Bearer` field value (RFC 6750 section 2.1), which may be empty; nothing with another scheme.
inline std::optional<std::string_view> bearer_token(std::string_view authorization) {
    constexpr std::string_view scheme = "bearer ";
    if (!base::iequals(authorization.substr(0, scheme.size()), scheme)) {
        return std::nullopt;
    }
    return base::trim(authorization.substr(scheme.size()));
}

}  // namespace onceward::http
