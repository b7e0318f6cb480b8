#include "route/percent.hpp"

#include "onceward/base/hex.hpp"

#include <array>
#include <cstdint>

namespace onceward::route {

int escaped_byte(std::string_view text, std::size_t at) {
    if (text[at] != '%' || text.size() - at < 3) {
        return -1;
    }
    std::array<std::uint8_t, 1> byte{};
    return base::from_hex(text.substr(at + 1, 2), byte) ? byte[0] : -1;
}

void append_escape(std::string& out, unsigned char byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out.push_back('%');
    out.push_back(digits[byte >> 4U]);
    out.push_back(digits[byte & 15U]);
}

void append_decoded(std::string& out, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int byte = escaped_byte(text, i);
        out.push_back(byte < 0 ? text[i] : static_cast<char>(byte));
        i += byte < 0 ? 0 : 2;
    }
}

void append_fully_decoded(std::string& out, std::string_view text) {
    const auto start = out.size();
    for (const char c : text) {
        out.push_back(c);
        // A byte just decoded may complete an escape that began before it.
        while (out.size() - start >= 3) {
            const int byte = escaped_byte(out, out.size() - 3);
            if (byte < 0) {
                break;
            }
            out.resize(out.size() - 3);
            out.push_back(static_cast<char>(byte));
        }
    }
}

}  // namespace onceward::route
