#include "net/linger.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"
#include "stream_pair.hpp"

#include <string>

using namespace onceward;
using Pair = test::StreamPair;
using Clock = std::chrono::steady_clock;

namespace {

Task<> linger_for(net::Stream& stream, net::LingerLimits limits, bool& ended) {
    co_await net::linger(stream, limits);
    ended = true;
}

/// Until `stop`, a byte each few milliseconds.
Task<> trickle(net::Stream& stream, const bool& stop) {
    while (!stop) {
        const auto written = co_await stream.write(std::string_view("x"));
        if (written.ec) {
            break;
        }
        stream.expires_after(milliseconds{5});
        co_await stream.fill();
    }
}

}  // namespace

TEST_CASE("what still comes is dropped until the peer ends, which is told at once that nothing follows") {
    Pair pair;
    bool ended = false;
    const std::string bytes(3'000'000, 'x');
    net::Stream::Written written;
    boost::system::error_code ec;
    net::spawn(pair.loop, linger_for(*pair.near, {seconds{20}, seconds{20}}, ended));
    net::spawn(pair.loop, test::send_all(*pair.far, bytes, written));
    net::spawn(pair.loop, test::fill_once(*pair.far, ec));
    pair.run();
    CHECK(ended);
    CHECK(written.bytes == bytes.size());
    CHECK(ec == boost::asio::error::eof);
    CHECK(pair.near->buffered().empty());
}

TEST_CASE("a peer that does not end is waited for no longer than the limits say") {
    Pair pair;
    bool ended = false;
    const auto begun = Clock::now();
    SECTION("it says nothing") {
        net::spawn(pair.loop, linger_for(*pair.near, {seconds{20}, milliseconds{50}}, ended));
        pair.run();
        CHECK(Clock::now() - begun >= milliseconds{50});
    }
    SECTION("it goes on and on") {
        net::spawn(pair.loop, linger_for(*pair.near, {milliseconds{100}, seconds{20}}, ended));
        net::spawn(pair.loop, trickle(*pair.far, ended));
        pair.run();
        CHECK(Clock::now() - begun >= milliseconds{100});
    }
    SECTION("it sends more than is looked at") {
        const std::string bytes(3'000'000, 'x');
        net::Stream::Written written;
        pair.far->expires_after(milliseconds{500});
        net::spawn(pair.loop, linger_for(*pair.near, {seconds{20}, seconds{20}, 100'000}, ended));
        net::spawn(pair.loop, test::send_all(*pair.far, bytes, written));
        pair.run();
        CHECK(written.bytes >= 100'000);
        CHECK(written.bytes < bytes.size());
    }
    CHECK(ended);
    CHECK(Clock::now() - begun < seconds{8});
}
