#include "net/peer_text.hpp"
#include "net/proxy_header.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/loop.hpp"
#include "proxy/session.hpp"

namespace onceward::proxy {

namespace {

using config::LogLevel;

/// A listener that anybody reaches must not fill the log.
constexpr seconds warning_interval{1};

struct Event {
    LogLevel level;
    std::string_view text;
};

void note_opening(Loop& loop, net::Stream& stream, Event event, std::string_view why) {
    const auto now = std::chrono::steady_clock::now();
    if (now - loop.last_opening_warning < warning_interval) {
        return;
    }
    loop.last_opening_warning = now;
    const auto peer = net::peer_text(stream.socket());
    telemetry::log(event.level, event.text, {{"peer", peer}, {"error", why}});
}

}  // namespace

Task<bool> Session::open() {
    stream.expires_after(options().limits.header_timeout);
    bool opened = true;
    if (listener().proxy_protocol) {
        opened = co_await read_proxy_header();
    }
    if (opened && listener().tls) {
        opened = co_await start_tls();
    }
    stream.never_expires();
    co_return opened;
}

Task<bool> Session::start_tls() {
    stream.secure(std::make_unique<crypto::TlsEngine>(*plan().listener_tls[listener_]));
    const auto ec = co_await stream.handshake();
    if (!ec) {
        subject_ = stream.tls()->peer_subject();
        co_return true;
    }
    const bool met_plain_http = stream.tls()->met_plain_http();
    if (ec == net::TlsErrc::failed && !met_plain_http) {
        note_opening(loop, stream, {LogLevel::info, "a client's TLS handshake failed"}, stream.tls()->failure());
    }
    // What is left to be sent is in the socket; from here on nothing more is said by TLS.
    stream.drop_tls();
    if (met_plain_http) {
        co_await refuse_unread(guard::ProblemCode::bad_request);
    } else if (ec == net::TlsErrc::failed) {
        linger_ = true;  // so that the alert is not lost to a reset
    }
    co_return false;
}

Task<bool> Session::read_proxy_header() {
    constexpr Event event{LogLevel::warn, "a connection was closed: it does not begin with a PROXY protocol header"};
    for (;;) {
        const auto header = net::parse_proxy_header(stream.buffered());
        if (header.state == net::ProxyHeader::State::done) {
            stream.consume(header.size);
            told_client_ = header.client;
            peer_ = find_peer();
            co_return true;
        }
        if (header.state == net::ProxyHeader::State::malformed) {
            note_opening(loop, stream, event, "other bytes");
            co_return false;
        }
        const auto ec = co_await stream.fill();
        if (ec) {
            // One that sends nothing at all is a balancer that looks whether somebody listens.
            if (!stream.buffered().empty()) {
                note_opening(loop, stream, event, stream.timed_out() ? "not whole in time" : "it ended before");
            }
            co_return false;
        }
    }
}

}  // namespace onceward::proxy
