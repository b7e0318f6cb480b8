#include "onceward/base/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace onceward::base {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Digits without padding. Bits behind the last byte must be 0, so that the same bytes have one spelling.
std::optional<std::string> decoded(std::string_view text, std::string_view alphabet) {
    if (text.size() % 4 == 1) {
        return std::nullopt;
    }
    std::string out;
    std::uint32_t bits = 0;
    unsigned bit_count = 0;
    for (const char c : text) {
        const auto digit = alphabet.find(c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        bits = bits << 6U | static_cast<std::uint32_t>(digit);
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            out += static_cast<char>(bits >> bit_count & 0xffU);
            bits &= (1U << bit_count) - 1U;
        }
    }
    return bits == 0 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto rest = bytes.substr(i, 3);
        std::uint32_t group = 0;
        for (std::size_t at = 0; at < 3; ++at) {
            group = (group << 8U) | (at < rest.size() ? static_cast<unsigned char>(rest[at]) : 0U);
        }
        for (std::size_t at = 0; at < 4; ++at) {
            out += at <= rest.size() ? digits[(group >> (18U - 6U * at)) & 0x3fU] : '=';
        }
    }
    return out;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    const auto padding = std::min<std::size_t>(text.size() - (text.find_last_not_of('=') + 1), 2);
    return decoded(text.substr(0, text.size() - padding), digits);
}

std::optional<std::string> from_base64url(std::string_view text) {
    return decoded(text, url_digits);
}

}  // namespace onceward::base
