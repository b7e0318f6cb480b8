#include "net/proxy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace onceward::net {

namespace {

namespace ip = boost::asio::ip;
using State = ProxyHeader::State;

constexpr std::string_view line_start = "PROXY ";
constexpr std::string_view block_start("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t block_head = 16;

ProxyHeader need_more() {
    return {State::need_more, 0, {}};
}
ProxyHeader malformed() {
    return {};
}
ProxyHeader done(std::size_t size, const std::optional<ip::address>& client) {
    return {State::done, size, client};
}

/// The word before the next blank, which is taken off too. The last word ends with the line.
std::string_view take_word(std::string_view& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && (text.size() == 1 || text.front() != '0');
}

/// Without the zone that Asio would take behind a `%`.
std::optional<ip::address> address_of(std::string_view family, std::string_view text) {
    boost::system::error_code ec;
    if (text.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) {
        return std::nullopt;
    }
    ip::address address;
    if (family == "TCP4") {
        address = ip::make_address_v4(text, ec);
    } else {
        address = ip::make_address_v6(text, ec);
    }
    return ec ? std::nullopt : std::optional(address);
}

ProxyHeader parse_line(std::string_view bytes) {
    const auto end = bytes.substr(0, proxy_line_max).find('\n');
    if (end == std::string_view::npos) {
        return bytes.size() < proxy_line_max ? need_more() : malformed();
    }
    auto line = bytes.substr(line_start.size(), end - line_start.size());
    if (line.empty() || line.back() != '\r') {
        return malformed();
    }
    line.remove_suffix(1);
    if (line.find('\r') != std::string_view::npos) {
        return malformed();
    }
    const bool ends_in_blank = !line.empty() && line.back() == ' ';
    const auto family = take_word(line);
    if (family == "UNKNOWN") {
        return done(end + 1, std::nullopt);  // whatever follows is not to be looked at
    }
    if ((family != "TCP4" && family != "TCP6") || ends_in_blank) {
        return malformed();
    }
    const auto source = address_of(family, take_word(line));
    const auto destination = address_of(family, take_word(line));
    const bool ports = is_port(take_word(line)) && is_port(take_word(line));
    return source && destination && ports && line.empty() ? done(end + 1, source) : malformed();
}

std::size_t number_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8U | static_cast<unsigned char>(bytes[at + 1]);
}

/// CRC32c (RFC 4960 appendix B) of a header whose four bytes at `blank` count as zero.
std::uint32_t checksum(std::string_view header, std::size_t blank) {
    std::uint32_t crc = 0xffffffffU;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool is_blank = i >= blank && i < blank + 4;
        crc ^= is_blank ? 0U : static_cast<unsigned char>(header[i]);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82f63b78U : 0U);
        }
    }
    return ~crc;
}

/// Whether what stands from `at` on are whole type-length-value entries, and a checksum among them is right.
bool entries_hold(std::string_view header, std::size_t at) {
    constexpr char checksum_type = 0x03;
    while (at < header.size()) {
        if (header.size() - at < 3 || header.size() - at - 3 < number_at(header, at + 1)) {
            return false;
        }
        const auto value = at + 3;
        const auto length = number_at(header, at + 1);
        if (header[at] == checksum_type) {
            const auto given = length == 4 ? number_at(header, value) << 16U | number_at(header, value + 2) : 0;
            if (length != 4 || given != checksum(header, value)) {
                return false;
            }
        }
        at = value + length;
    }
    return true;
}

template <typename Address>
Address address_at(std::string_view header, std::size_t at) {
    typename Address::bytes_type bytes{};
    std::copy_n(header.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
    return Address(bytes);
}

/// The whole header of a connection that was passed on.
ProxyHeader parse_passed(std::string_view header, unsigned family, unsigned transport) {
    constexpr std::array<std::size_t, 4> address_bytes{0, 12, 36, 216};  // none, IPv4, IPv6, unix
    if (family >= address_bytes.size() || transport > 2 || header.size() < block_head + address_bytes[family]) {
        return malformed();
    }
    // Behind a family that is not told nothing is known of the rest.
    if (family != 0 && !entries_hold(header, block_head + address_bytes[family])) {
        return malformed();
    }
    std::optional<ip::address> client;
    if (transport == 1 && family == 1) {
        client = address_at<ip::address_v4>(header, block_head);
    } else if (transport == 1 && family == 2) {
        client = address_at<ip::address_v6>(header, block_head);
    }
    return done(header.size(), client);
}

ProxyHeader parse_block(std::string_view bytes) {
    if (bytes.size() < block_head) {
        // The version stands before the rest: what can't be one is told at once.
        const bool may_be = bytes.size() <= block_start.size() || (static_cast<unsigned char>(bytes[12]) & 0xfeU) == 0x20U;
        return may_be ? need_more() : malformed();
    }
    const unsigned command = static_cast<unsigned char>(bytes[12]);
    const unsigned kind = static_cast<unsigned char>(bytes[13]);
    if ((command & 0xfeU) != 0x20U) {
        return malformed();
    }
    const auto size = block_head + number_at(bytes, 14);
    if (bytes.size() < size) {
        return need_more();
    }
    const bool local = command == 0x20U;
    return local ? done(size, std::nullopt) : parse_passed(bytes.substr(0, size), kind >> 4U, kind & 0xfU);
}

}  // namespace

ProxyHeader parse_proxy_header(std::string_view bytes) {
    const auto begins = [&](std::string_view start) {
        const auto common = std::min(bytes.size(), start.size());
        return bytes.substr(0, common) == start.substr(0, common);
    };
    if (bytes.empty()) {
        return need_more();
    }
    if (begins(line_start)) {
        return bytes.size() < line_start.size() ? need_more() : parse_line(bytes);
    }
    return begins(block_start) ? parse_block(bytes) : malformed();
}

}  // namespace onceward::net
