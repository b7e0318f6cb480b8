#include "onceward/base/hex.hpp"

namespace onceward::base {

namespace {
constexpr char digits[] = "0123456789abcdef";

int nibble(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}
}  // namespace

void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
    const auto at = out.size();
    out.resize(at + 2 * bytes.size());
    char* to = out.data() + at;
    for (const auto byte : bytes) {
        *to++ = digits[byte >> 4U];
        *to++ = digits[byte & 15U];
    }
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    std::string out;
    append_hex(out, bytes);
    return out;
}

bool from_hex(std::string_view text, std::span<std::uint8_t> out) {
    if (text.size() != 2 * out.size()) {
        return false;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const int high = nibble(text[2 * i]);
        const int low = nibble(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return true;
}

}  // namespace onceward::base
