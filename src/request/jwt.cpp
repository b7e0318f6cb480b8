#include "request/jwt.hpp"

#include "onceward/base/base64.hpp"
#include "onceward/http/bearer.hpp"

namespace onceward::request {

std::optional<std::string> bearer_claims(std::string_view authorization) {
    const auto bearer = http::bearer_token(authorization);
    if (!bearer) {
        return std::nullopt;
    }
    const auto token = *bearer;
    const auto first = token.find('.');
    const auto second = token.find('.', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos ||
        token.find('.', second + 1) != std::string_view::npos) {
        return std::nullopt;
    }
    return base::from_base64url(token.substr(first + 1, second - first - 1));
}

}  // namespace onceward::request
