#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace onceward::net {

/// What a connection through a load balancer begins with (PROXY protocol, versions 1 and 2), as far as it is there.
struct ProxyHeader {
    enum class State : std::uint8_t {
        need_more,  ///< what is there may become one
        done,
        malformed
    };
    State state = State::malformed;
    std::size_t size = 0;  ///< bytes that it takes, when done
    /// Who connected to the balancer. Nothing when done: the balancer speaks for itself (LOCAL), or does not know (UNKNOWN, and
    /// families without an IP address): the peer of the socket is then the client.
    std::optional<boost::asio::ip::address> client;
};

/// The longest header of version 1, its line end included, and of version 2.
inline constexpr std::size_t proxy_line_max = 107;
inline constexpr std::size_t proxy_block_max = 16 + 65535;

/// Reads the header that `bytes` begin with. To the letter: one blank between words, ports without leading zeros, lengths that
/// agree, a checksum that is right where there is one. Bytes that begin otherwise than a header does are malformed at once. Pure.
ProxyHeader parse_proxy_header(std::string_view bytes);

}  // namespace onceward::net
