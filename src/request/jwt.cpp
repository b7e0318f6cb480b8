#include "request/jwt.hpp"

#include "onceward/http/bearer.hpp"

#include <cstdint>

namespace onceward::request {

namespace {

// RFC 4648 section 5, without padding.
std::optional<std::string> decode_base64url(std::string_view text) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string bytes;
    std::uint32_t bits = 0;
    unsigned bit_count = 0;
    for (const char c : text) {
        const auto digit = alphabet.find(c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        bits = (bits << 6U | static_cast<std::uint32_t>(digit)) & 0xffffU;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes.push_back(static_cast<char>(bits >> bit_count & 0xffU));
        }
    }
    return bytes;
}

}  // namespace

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
    return decode_base64url(token.substr(first + 1, second - first - 1));
}

}  // namespace onceward::request
