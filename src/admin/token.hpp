#pragma once

#include "onceward/http/headers.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace onceward::admin {

/// Which token a request has shown, as the log may name it: `sha256:` and the first 8 digits of its digest.
struct Bearer {
    std::string name;
};
enum class TokenRefusal { missing, wrong };

/// Compares the request's `Authorization: Bearer` with each of `tokens`, in a time that depends on neither.
std::variant<Bearer, TokenRefusal> check_token(const http::HeaderList& headers, const std::vector<std::string>& tokens);

}  // namespace onceward::admin
