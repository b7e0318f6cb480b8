#include "net/peer_text.hpp"
#include "net/proxy_header.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/loop.hpp"
#include "proxy/session.hpp"

namespace onceward::proxy {

namespace {

/// A listener that anybody reaches must not fill the log.
constexpr seconds warning_interval{1};

void warn_opening(Loop& loop, net::Stream& stream, std::string_view event, std::string_view why) {
    const auto now = std::chrono::steady_clock::now();
    if (now - loop.last_opening_warning < warning_interval) {
        return;
    }
    loop.last_opening_warning = now;
    const auto peer = net::peer_text(stream.socket());
    telemetry::warn(event, {{"peer", peer}, {"error", why}});
}

}  // namespace

Task<bool> Session::open() {
    stream.expires_after(options().limits.header_timeout);
    bool opened = true;
    if (listener().proxy_protocol) {
        opened = co_await read_proxy_header();
    }
    stream.never_expires();
    co_return opened;
}

Task<bool> Session::read_proxy_header() {
    constexpr std::string_view event = "a connection was closed: it does not begin with a PROXY protocol header";
    for (;;) {
        const auto header = net::parse_proxy_header(stream.buffered());
        if (header.state == net::ProxyHeader::State::done) {
            stream.consume(header.size);
            told_client_ = header.client;
            peer_ = find_peer();
            co_return true;
        }
        if (header.state == net::ProxyHeader::State::malformed) {
            warn_opening(loop, stream, event, "other bytes");
            co_return false;
        }
        const auto ec = co_await stream.fill();
        if (ec) {
            // One that sends nothing at all is a balancer that looks whether somebody listens.
            if (!stream.buffered().empty()) {
                warn_opening(loop, stream, event, stream.timed_out() ? "not whole in time" : "it ended before");
            }
            co_return false;
        }
    }
}

}  // namespace onceward::proxy
