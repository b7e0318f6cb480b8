#include "net/stream.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <string>

using namespace onceward;

namespace {

/// Two ends of one connection on one loop.
struct Pair {
    boost::asio::io_context loop;
    net::Deadlines deadlines{loop};
    std::unique_ptr<net::Stream> near;
    std::unique_ptr<net::Stream> far;

    Pair() {
        using Local = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, net::Executor>;
        Local a(loop.get_executor());
        Local b(loop.get_executor());
        boost::asio::local::connect_pair(a, b);
        near = std::make_unique<net::Stream>(net::Socket(std::move(a)), deadlines);
        far = std::make_unique<net::Stream>(net::Socket(std::move(b)), deadlines);
    }
    void run() {
        loop.restart();
        loop.run_for(seconds{5});
    }
};

Task<> send_all(net::Stream& stream, const std::string& bytes, net::Stream::Written& result) {
    result = co_await stream.write(std::string_view(bytes));
    co_await stream.shutdown_send();
}

Task<> end(net::Stream& stream) {
    co_await stream.shutdown_send();
}

Task<> receive_all(net::Stream& stream, std::string& out, boost::system::error_code& end) {
    for (;;) {
        end = co_await stream.fill(1000);
        out.append(stream.buffered());
        stream.consume(stream.buffered().size());
        if (end) {
            co_return;
        }
    }
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

Task<> fill_once(net::Stream& stream, boost::system::error_code& ec) {
    ec = co_await stream.fill();
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
