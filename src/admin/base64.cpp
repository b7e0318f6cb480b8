#include "admin/base64.hpp"

#include <cstdint>

namespace onceward::admin {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') {
        ++padding;
    }
    std::string out;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = i < text.size() - padding ? digits.find(text[i]) : 0;
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        group = (group << 6U) | static_cast<std::uint32_t>(digit);
        if (i % 4 == 3) {
            for (unsigned shift = 24; shift > 0; shift -= 8) {
                out += static_cast<char>((group >> (shift - 8)) & 0xffU);
            }
            group = 0;
        }
    }
    const std::string_view ignored(out.data() + out.size() - padding, padding);
    if (ignored.find_first_not_of('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    out.resize(out.size() - padding);
    return out;
}

}  // namespace onceward::admin
