#include "net/linger.hpp"

#include <algorithm>

namespace onceward::net {

namespace {
constexpr std::size_t piece_bytes = 64 * 1024;
}  // namespace

Task<> linger(Stream& stream, LingerLimits limits) {
    const auto until = std::chrono::steady_clock::now() + limits.whole;
    stream.expires_after(limits.quiet);
    co_await stream.shutdown_send();
    std::size_t dropped = 0;
    while (stream.is_open() && dropped < limits.bytes) {
        dropped += stream.buffered().size();
        stream.consume(stream.buffered().size());
        const auto now = std::chrono::steady_clock::now();
        if (now >= until) {
            break;
        }
        stream.expires_at(std::min<Deadline>(now + limits.quiet, until));
        const auto ec = co_await stream.fill(piece_bytes);
        if (ec) {
            break;
        }
    }
    stream.never_expires();
}

}  // namespace onceward::net
