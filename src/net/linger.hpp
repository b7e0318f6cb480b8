#pragma once

#include "net/stream.hpp"

#include <cstddef>
#include <limits>

namespace onceward::net {

/// What a connection that is over may still send.
struct LingerLimits {
    milliseconds whole;  ///< longest time
    milliseconds quiet;  ///< without a byte
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

/// Says that nothing more comes and drops what still arrives, until the peer ends too or a limit is reached. Closed at once, a
/// connection with input that nobody read is reset, and the peer may lose the answer that it was sent last (RFC 9112
/// section 9.6).
Task<> linger(Stream& stream, LingerLimits limits);

}  // namespace onceward::net
