#include "admin/token.hpp"

#include "onceward/base/hex.hpp"
#include "onceward/crypto/sha256.hpp"
#include "onceward/http/bearer.hpp"

namespace onceward::admin {

namespace {

constexpr std::size_t shown_digits = 8;

/// The token of one `Authorization: Bearer`; nothing with another scheme, or where the field stands there twice.
std::optional<std::string_view> bearer_of(const http::HeaderList& headers) {
    return headers.count("Authorization") == 1 ? http::bearer_token(headers.find("Authorization")) : std::nullopt;
}

/// Looks at every byte, whatever it has seen.
bool equal_in_constant_time(const Digest& a, const Digest& b) {
    unsigned difference = 0;
    for (std::size_t i = 0; i < Digest::size; ++i) {
        difference |= static_cast<unsigned>(a.bytes[i] ^ b.bytes[i]);
    }
    return difference == 0;
}

}  // namespace

std::variant<Bearer, TokenRefusal> check_token(const http::HeaderList& headers, const std::vector<std::string>& tokens) {
    const auto given = bearer_of(headers);
    if (!given || given->empty()) {
        return TokenRefusal::missing;
    }
    // Digests are compared: neither the length nor the beginning of a token shows in the time.
    const auto digest = crypto::sha256(*given);
    bool found = false;
    for (const auto& token : tokens) {
        const bool equal = equal_in_constant_time(digest, crypto::sha256(token));
        found = found || equal;
    }
    if (!found) {
        return TokenRefusal::wrong;
    }
    return Bearer{"sha256:" + base::to_hex(digest.bytes).substr(0, shown_digits)};
}

}  // namespace onceward::admin
