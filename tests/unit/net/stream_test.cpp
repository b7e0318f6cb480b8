#include "net/stream.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"
#include "stream_pair.hpp"

#include <boost/asio/post.hpp>

#include <string>

using namespace onceward;
using test::fill_once;
using test::receive_all;
using test::send_all;
using Pair = test::StreamPair;

namespace {

Task<> end(net::Stream& stream) {
    co_await stream.shutdown_send();
}

/// Reads twice: what is there, and what comes then.
Task<> fill_twice(net::Stream& stream, boost::system::error_code& first, boost::system::error_code& second) {
    first = co_await stream.fill();
    second = co_await stream.fill(net::Stream::read_size, net::Look::later);
}

Task<> fill_later(net::Stream& stream, boost::system::error_code& ec) {
    ec = co_await stream.fill(net::Stream::read_size, net::Look::later);
}

void send_now(net::Stream& stream, std::string_view bytes) {
    REQUIRE(stream.write_now({net::buffer_of(bytes), {}, {}}).bytes == bytes.size());
}

}  // namespace

TEST_CASE("what does not fit the socket at once is written as the peer reads") {
    Pair pair;
    const std::string bytes(3'000'000, 'x');
    net::Stream::Written written;
    std::string got;
    boost::system::error_code end;
    net::spawn(pair.loop, send_all(*pair.near, bytes, written));
    net::spawn(pair.loop, receive_all(*pair.far, got, end));
    pair.run();
    CHECK(!written.ec);
    CHECK(written.bytes == bytes.size());
    CHECK(got == bytes);
    CHECK(end == boost::asio::error::eof);
}

TEST_CASE("a read that meets its time limit ends and says so") {
    Pair pair;
    boost::system::error_code ec;
    pair.near->expires_after(milliseconds{40});
    net::spawn(pair.loop, fill_once(*pair.near, ec));
    pair.run();
    CHECK(ec == boost::asio::error::operation_aborted);
    CHECK(pair.near->timed_out());
}

TEST_CASE(
    "what begins to wait behind a cancellation that found nothing under way ends as well, until there is a new limit or none") {
    Pair pair;
    boost::system::error_code first;
    boost::system::error_code second;
    send_now(*pair.far, "GET");
    net::spawn(pair.loop, fill_twice(*pair.near, first, second));
    // The read has come through by then, and its coroutine has not gone on.
    boost::asio::post(pair.loop, [&pair] { pair.near->cancel(); });
    pair.run();
    CHECK_FALSE(first);
    CHECK(second == boost::asio::error::operation_aborted);
    send_now(*pair.far, " /");
    SECTION("a new limit") {
        pair.near->expires_after(seconds{10});
    }
    SECTION("none") {
        pair.near->never_expires();
    }
    net::spawn(pair.loop, fill_once(*pair.near, first));
    pair.run();
    CHECK_FALSE(first);
    CHECK(pair.near->buffered() == "GET /");
}

TEST_CASE("a write that has to wait behind a cancellation ends, with what the socket took") {
    Pair pair;
    const std::string bytes(3'000'000, 'x');
    net::Stream::Written written;
    pair.near->cancel();
    net::spawn(pair.loop, send_all(*pair.near, bytes, written));
    pair.run();
    CHECK(written.ec == boost::asio::error::operation_aborted);
    CHECK(written.bytes > 0);
    CHECK(written.bytes < bytes.size());
}

TEST_CASE("an idle connection is quiet until its peer writes or leaves") {
    Pair pair;
    CHECK(pair.near->is_quiet());
    SECTION("unexpected bytes") {
        CHECK(pair.far->write_now({net::buffer_of("HTTP/1.1 200 OK\r\n"), {}, {}}).bytes == 17);
        CHECK_FALSE(pair.near->is_quiet());
    }
    SECTION("an end") {
        pair.far->close();
        CHECK_FALSE(pair.near->is_quiet());
    }
}

TEST_CASE("a peer that ended its side is seen behind what it sent, and one that only sends is there") {
    Pair pair;
    CHECK_FALSE(pair.near->peer_has_ended());
    send_now(*pair.far, "GET / HTTP/1.1\r\n");
    CHECK_FALSE(pair.near->peer_has_ended());
    pair.far->close();
    CHECK(pair.near->peer_has_ended());
}

TEST_CASE("what is left of three buffers behind a cut is the rest of them in order") {
    const net::Stream::Buffers buffers{net::buffer_of("abc"), net::buffer_of("de"), net::buffer_of("f")};
    const auto text = [](const net::Stream::Buffers& some) {
        std::string out;
        for (const auto& buffer : some) {
            out.append(static_cast<const char*>(buffer.data()), buffer.size());
        }
        return out;
    };
    const std::string whole = "abcdef";
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        CHECK(text(net::after(buffers, cut)) == whole.substr(cut));
    }
}

TEST_CASE("a read that does not look first hears of what comes then") {
    Pair pair;
    boost::system::error_code first = boost::asio::error::fault;
    boost::system::error_code second = boost::asio::error::fault;
    send_now(*pair.far, "one ");
    net::spawn(pair.loop, fill_twice(*pair.near, first, second));
    pair.loop.run_for(milliseconds{30});
    CHECK_FALSE(first);
    CHECK(pair.near->buffered() == "one ");
    CHECK(second == boost::asio::error::fault);
    send_now(*pair.far, "two");
    pair.run();
    CHECK_FALSE(second);
    CHECK(pair.near->buffered() == "one two");
}

TEST_CASE("what came while nobody read is not missed by a read that does not look first") {
    Pair pair;
    boost::system::error_code ec = boost::asio::error::fault;
    send_now(*pair.far, "one ");
    net::spawn(pair.loop, fill_once(*pair.near, ec));
    pair.run();
    REQUIRE_FALSE(ec);
    send_now(*pair.far, "two");
    pair.loop.restart();
    pair.loop.poll();  // the event finds no read
    net::spawn(pair.loop, fill_later(*pair.near, ec));
    pair.run();
    CHECK_FALSE(ec);
    CHECK(pair.near->buffered() == "one two");
}

TEST_CASE("an end that came with the last bytes is found by a read that looks") {
    Pair pair;
    boost::system::error_code ec;
    send_now(*pair.far, "last");
    net::spawn(pair.loop, end(*pair.far));
    pair.run();
    net::spawn(pair.loop, fill_once(*pair.near, ec));
    pair.run();
    REQUIRE_FALSE(ec);
    pair.near->expires_after(milliseconds{50});
    net::spawn(pair.loop, fill_later(*pair.near, ec));
    pair.run();
    CHECK(ec);
    pair.near->never_expires();
    net::spawn(pair.loop, fill_once(*pair.near, ec));
    pair.run();
    CHECK(ec == boost::asio::error::eof);
}

TEST_CASE("a read ends with its socket and with the loop") {
    Pair pair;
    boost::system::error_code ec;
    net::spawn(pair.loop, fill_once(*pair.near, ec));
    pair.loop.poll();
    pair.near->close();
    pair.run();
    CHECK(ec == boost::asio::error::operation_aborted);
    net::spawn(pair.loop, fill_once(*pair.near, ec));
    pair.run();
    CHECK(ec == boost::asio::error::bad_descriptor);
    net::spawn(pair.loop, fill_once(*pair.far, ec));
    pair.loop.restart();
    pair.loop.poll();
}
