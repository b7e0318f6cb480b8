#include "catch.hpp"
#include "certificates.hpp"
#include "net/spawn.hpp"
#include "net/stream.hpp"
#include "stream_pair.hpp"

#include <string>

using namespace onceward;

namespace {

struct Contexts {
    test::Certificate authority = test::Certificate::authority("the authority");
    test::Certificate identity = authority.issue({"a.test", "DNS:a.test"});
    crypto::TlsContextPtr server =
        std::get<crypto::TlsContextPtr>(crypto::make_server_context({{"/c", identity.pem()}, {"/k", identity.key_pem()}, {}}));
    crypto::TlsContextPtr client = [this] {
        config::UpstreamTls tls;
        tls.ca = {"/ca", authority.pem()};
        return std::get<crypto::TlsContextPtr>(crypto::make_client_context(tls));
    }();
};
const Contexts& contexts() {
    static const Contexts made;
    return made;
}

Task<> shake(net::Stream& stream, boost::system::error_code& ec) {
    ec = co_await stream.handshake();
}

/// Two ends of one connection on one loop that speak TLS.
struct Pair : test::StreamPair {
    net::Stream* client = near.get();
    net::Stream* server = far.get();

    Pair() {
        client->secure(std::make_unique<crypto::TlsEngine>(*contexts().client, "a.test", nullptr));
        server->secure(std::make_unique<crypto::TlsEngine>(*contexts().server));
        boost::system::error_code of_client = boost::asio::error::fault;
        boost::system::error_code of_server = boost::asio::error::fault;
        net::spawn(loop, shake(*client, of_client));
        net::spawn(loop, shake(*server, of_server));
        run();
        REQUIRE_FALSE(of_client);
        REQUIRE_FALSE(of_server);
    }
};

Task<> send_and_finish(net::Stream& stream, const std::string& bytes, net::Stream::Written& result) {
    result = co_await stream.write(std::string_view(bytes));
    co_await stream.finish();
}

/// Bytes that stay in the socket behind TLS's back.
void put_raw(net::Stream& stream, std::string_view bytes) {
    REQUIRE(stream.socket().write_some(net::buffer_of(bytes)) == bytes.size());
}

}  // namespace

TEST_CASE("content that does not fit the socket goes through whole, both ways at once, and the end is said behind it") {
    Pair pair;
    const std::string up(3'000'000, 'u');
    const std::string down(2'000'000, 'd');
    net::Stream::Written written[2];
    std::string got[2];
    boost::system::error_code ends[2];
    net::spawn(pair.loop, test::send_all(*pair.client, up, written[0]));
    net::spawn(pair.loop, test::send_all(*pair.server, down, written[1]));
    net::spawn(pair.loop, test::receive_all(*pair.server, got[0], ends[0]));
    net::spawn(pair.loop, test::receive_all(*pair.client, got[1], ends[1]));
    pair.run();
    CHECK(written[0].bytes == up.size());
    CHECK(written[1].bytes == down.size());
    CHECK((got[0] == up));
    CHECK((got[1] == down));
    CHECK(ends[0] == boost::asio::error::eof);
    CHECK(ends[1] == boost::asio::error::eof);
}

TEST_CASE("what the socket did not take is not told as taken, and goes on where it was") {
    Pair pair;
    const std::string content(4'000'000, 'x');
    const net::Stream::Buffers buffers{net::buffer_of("head"), net::buffer_of(content), {}};
    const auto now = pair.client->write_now(buffers);
    CHECK(now.ec == boost::asio::error::would_block);
    CHECK(now.bytes < net::size_of(buffers));
    net::Stream::Written rest;
    std::string got;
    boost::system::error_code ec;
    const std::string all = "head" + content;
    const auto left = all.substr(now.bytes);
    net::spawn(pair.loop, send_and_finish(*pair.client, left, rest));
    net::spawn(pair.loop, test::receive_all(*pair.server, got, ec));
    pair.run();
    CHECK(rest.bytes == left.size());
    CHECK((got == all));
    CHECK(ec == boost::asio::error::eof);
}

TEST_CASE("a connection that ends and does not say so was cut") {
    Pair pair;
    REQUIRE(pair.server->write_now({net::buffer_of("part"), {}, {}}).bytes == 4);
    boost::system::error_code ignored;
    pair.server->socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
    std::string got;
    boost::system::error_code ec;
    net::spawn(pair.loop, test::receive_all(*pair.client, got, ec));
    pair.run();
    CHECK(got == "part");
    CHECK(ec == net::TlsErrc::cut);
    CHECK_FALSE(ec.message().empty());
}

TEST_CASE("closing says the end, resetting does not") {
    Pair pair;
    std::string got;
    boost::system::error_code ec;
    const bool clean = GENERATE(true, false);
    if (clean) {
        pair.server->close();
    } else {
        pair.server->reset();
    }
    net::spawn(pair.loop, test::receive_all(*pair.client, got, ec));
    pair.run();
    CHECK((ec == boost::asio::error::eof) == clean);
}

TEST_CASE("tickets of sessions leave an idle connection quiet; content, an end and a part of a record do not") {
    Pair pair;
    CHECK(pair.client->is_quiet());  // the tickets have come with the handshake
    CHECK(pair.client->is_quiet());
    SECTION("content") {
        REQUIRE(pair.server->write_now({net::buffer_of("HTTP/1.1 200 OK\r\n"), {}, {}}).bytes == 17);
        CHECK_FALSE(pair.client->is_quiet());
        CHECK(pair.client->buffered() == "HTTP/1.1 200 OK\r\n");
    }
    SECTION("an end that was said") {
        pair.server->close();
        CHECK_FALSE(pair.client->is_quiet());
    }
    SECTION("an end of the socket") {
        boost::system::error_code ec;
        pair.server->socket().shutdown(boost::asio::socket_base::shutdown_send, ec);
        CHECK_FALSE(pair.client->is_quiet());
    }
    SECTION("the beginning of a record") {
        put_raw(*pair.server, std::string_view("\x17\x03\x03", 3));
        CHECK_FALSE(pair.client->is_quiet());
    }
    SECTION("a header without its record") {
        put_raw(*pair.server, std::string_view("\x17\x03\x03\x00\x20", 5));
        CHECK_FALSE(pair.client->is_quiet());
    }
    SECTION("what is no TLS") {
        put_raw(*pair.server, "HTTP/1.1 408 Request Timeout\r\n\r\n");
        CHECK_FALSE(pair.client->is_quiet());
    }
}

TEST_CASE("a look while a read waits takes nothing away from it") {
    Pair pair;
    boost::system::error_code ec = boost::asio::error::fault;
    REQUIRE(pair.client->is_quiet());
    net::spawn(pair.loop, test::fill_once(*pair.client, ec));
    pair.loop.restart();
    pair.loop.poll();
    REQUIRE(ec == boost::asio::error::fault);
    REQUIRE(pair.server->write_now({net::buffer_of("now"), {}, {}}).bytes == 3);
    CHECK_FALSE(pair.client->is_quiet());
    pair.run();
    CHECK_FALSE(ec);
    CHECK(pair.client->buffered() == "now");
}

TEST_CASE("a read that meets its time limit can be asked again") {
    Pair pair;
    REQUIRE(pair.client->is_quiet());
    boost::system::error_code ec;
    pair.client->expires_after(milliseconds{40});
    net::spawn(pair.loop, test::fill_once(*pair.client, ec));
    pair.run();
    CHECK(ec == boost::asio::error::operation_aborted);
    CHECK(pair.client->timed_out());
    pair.client->never_expires();
    net::spawn(pair.loop, test::fill_once(*pair.client, ec));
    REQUIRE(pair.server->write_now({net::buffer_of("late"), {}, {}}).bytes == 4);
    pair.run();
    CHECK_FALSE(ec);
    CHECK(pair.client->buffered() == "late");
}
