#include "proxy/tunnel.hpp"

#include "net/keep_alive.hpp"
#include "proxy/loop.hpp"
#include "proxy/spawn.hpp"

namespace onceward::proxy {

namespace {

constexpr std::size_t piece_bytes = 16 * 1024;

/// Copies one direction to its end. False: it broke.
Task<bool> carry(net::Stream& from, net::Stream& to) {
    for (;;) {
        if (!from.buffered().empty()) {
            const auto written = co_await to.write(from.buffered());
            from.consume(written.bytes);
            if (written.ec) {
                co_return false;
            }
        }
        const auto ec = co_await from.fill(piece_bytes);
        if (ec) {
            co_await to.shutdown_send();
            co_return ec == asio::error::eof;
        }
    }
}

Task<> carry_back(Loop& loop, net::Stream& upstream, net::Stream& client, net::Event& done) {
    const bool clean = co_await carry(upstream, client);
    if (clean) {
        client.expires_after(loop.options().limits.body_timeout);
    } else {
        client.cancel();
    }
    done.set();
}

}  // namespace

Task<> tunnel(Loop& loop, net::Stream& client, net::Stream& upstream) {
    client.never_expires();
    upstream.never_expires();
    net::keep_alive(client.socket());
    net::keep_alive(upstream.socket());
    net::Event done(loop.io);
    spawn(loop, carry_back(loop, upstream, client, done));
    const bool clean = co_await carry(client, upstream);
    if (clean) {
        upstream.expires_after(loop.options().limits.body_timeout);
    } else {
        upstream.cancel();
    }
    co_await done.wait();
    done.take();
    upstream.close();
}

}  // namespace onceward::proxy
