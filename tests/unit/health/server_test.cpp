#include "onceward/health/server.hpp"

#include "blocking_client.hpp"
#include "catch.hpp"
#include "temporary_folder.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace onceward;
using namespace onceward::health;
using namespace onceward::tests;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

class FakeSource final : public HealthSource {
public:
    bool ready() override { return is_ready; }
    std::string readiness_text(Detail detail) override {
        if (detail == Detail::every_check) {
            return is_ready ? "store ok\ndraining no\n" : "store ok\ndraining yes\n";
        }
        return is_ready ? "ok" : "draining";
    }
    std::string metrics() override { return "onceward_fenced_total 0\n"; }

    std::atomic<bool> is_ready{true};
};

/// A server on a loop of its own thread.
class Running {
public:
    explicit Running(const config::Address& address = {"127.0.0.1", 0, {}}, const HealthLimits& limits = {})
        : server_(loop_, address, source, limits) {
        server_.start();
        port = server_.port();
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Running() { stop(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Returns when the loop has run out of work.
    void stop() {
        if (thread_.joinable()) {
            asio::post(loop_, [this] { server_.stop(); });
            thread_.join();
        }
    }

    FakeSource source;
    std::uint16_t port = 0;

private:
    asio::io_context loop_;
    HealthServer server_;
    std::thread thread_;
};

std::string get(std::uint16_t port, std::string_view target) {
    TcpClient client(local(port));
    client.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.response();
}

}  // namespace

TEST_CASE("livez answers ok whether or not the process is ready") {
    Running running;
    running.source.is_ready = false;
    const auto response = get(running.port, "/livez");
    CHECK(status_line(response) == "HTTP/1.1 200 OK");
    CHECK(content(response) == "ok");
    CHECK(has_line(response, "Content-Type: text/plain; charset=utf-8"));
    CHECK(has_line(response, "Cache-Control: no-store"));
    CHECK(response.find("\r\nDate: ") != std::string::npos);
}

TEST_CASE("readyz answers 200 and ok, or 503 and the reason; verbose lists every check") {
    Running running;
    CHECK(status_line(get(running.port, "/readyz")) == "HTTP/1.1 200 OK");
    CHECK(content(get(running.port, "/readyz")) == "ok");
    CHECK(content(get(running.port, "/readyz?verbose")) == "store ok\ndraining no\n");
    running.source.is_ready = false;
    CHECK(status_line(get(running.port, "/readyz")) == "HTTP/1.1 503 Service Unavailable");
    CHECK(content(get(running.port, "/readyz")) == "draining");
    CHECK(content(get(running.port, "/readyz?a=b&verbose=1")) == "store ok\ndraining yes\n");
    CHECK(content(get(running.port, "/readyz?verbosely&x")) == "draining");
}

TEST_CASE("metrics come in the text format of Prometheus") {
    Running running;
    const auto response = get(running.port, "/metrics");
    CHECK(status_line(response) == "HTTP/1.1 200 OK");
    CHECK(has_line(response, "Content-Type: text/plain; version=0.0.4; charset=utf-8"));
    CHECK(content(response) == "onceward_fenced_total 0\n");
}

TEST_CASE("other paths are 404 and other methods 405, and the connection goes on") {
    Running running;
    TcpClient client(local(running.port));
    client.send("GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(status_line(client.response()) == "HTTP/1.1 404 Not Found");
    client.send("DELETE /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto response = client.response();
    CHECK(status_line(response) == "HTTP/1.1 405 Method Not Allowed");
    CHECK(has_line(response, "Allow: GET, HEAD"));
    for (const std::string target : {"/livez", "/readyz", "/metrics", "*"}) {
        CAPTURE(target);
        client.send("OPTIONS " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
        const auto options = client.response();
        CHECK(status_line(options) == "HTTP/1.1 405 Method Not Allowed");
        CHECK(has_line(options, "Allow: GET, HEAD"));
    }
    client.send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(status_line(client.response()) == "HTTP/1.1 200 OK");
}

TEST_CASE("HEAD gets the head of GET and no content") {
    Running running;
    TcpClient client(local(running.port));
    client.send("HEAD /metrics HTTP/1.1\r\nHost: h\r\n\r\nGET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto head = client.response(true);
    CHECK(has_line(head, "Content-Length: 24"));
    CHECK(content(client.response()) == "ok");
}

TEST_CASE("a connection is kept for HTTP/1.1, and for HTTP/1.0 only when it asks") {
    Running running;
    TcpClient kept(local(running.port));
    kept.send("GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK(has_line(kept.response(), "Connection: keep-alive"));
    kept.send("GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    CHECK(has_line(kept.response(), "Connection: close"));
    CHECK(kept.is_closed());
    TcpClient old(local(running.port));
    old.send("GET /livez HTTP/1.0\r\n\r\n");
    CHECK(has_line(old.response(), "Connection: close"));
    CHECK(old.is_closed());
}

TEST_CASE("a request with content is answered, and nothing behind it is taken for a request") {
    Running running;
    TcpClient client(local(running.port));
    client.send("POST /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 35\r\n\r\nGET /metrics HTTP/1.1\r\nHost: h\r\n\r\nxx");
    CHECK(status_line(client.response()) == "HTTP/1.1 405 Method Not Allowed");
    CHECK(client.is_closed());
}

TEST_CASE("junk, oversized heads and CONNECT get their status and the connection ends") {
    Running running;
    struct Row {
        std::string bytes;
        std::string status_line;
    };
    const Row rows[] = {
        {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), "HTTP/1.1 400 Bad Request"},
        {"GET /livez\r\n\r\n", "HTTP/1.1 400 Bad Request"},
        {"GET /livez HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", "HTTP/1.1 400 Bad Request"},
        {"GET /livez HTTP/1.1\r\nHost: h\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
         "HTTP/1.1 431 Request Header Fields Too Large"},
        {"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"},
        {"GET /livez HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\n\r\n", "HTTP/1.1 417 Expectation Failed"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.status_line);
        TcpClient client(local(running.port));
        client.send(row.bytes);
        CHECK(status_line(client.response()) == row.status_line);
        CHECK(client.is_closed());
    }
    CHECK(content(get(running.port, "/livez")) == "ok");
}

TEST_CASE("a head that does not come to its end in time gets 408, a connection without a request is closed") {
    HealthLimits limits;
    limits.header_timeout = 100ms;
    limits.idle_timeout = 100ms;
    Running running({"127.0.0.1", 0, {}}, limits);
    TcpClient slow(local(running.port));
    slow.send("GET /livez HTTP/1.1\r\nHo");
    CHECK(status_line(slow.response()) == "HTTP/1.1 408 Request Timeout");
    CHECK(slow.is_closed());
    TcpClient silent(local(running.port));
    CHECK(silent.is_closed());
}

TEST_CASE("a client that hangs up in the middle of a head leaves nothing behind") {
    Running running;
    {
        TcpClient client(local(running.port));
        client.send("GET /livez HT");
    }
    TcpClient half(local(running.port));
    half.send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
    half.finish_sending();
    CHECK(content(half.response()) == "ok");
    CHECK(half.is_closed());
}

TEST_CASE("when all connections are taken the oldest makes room") {
    HealthLimits limits;
    limits.connections = 3;
    Running running({"127.0.0.1", 0, {}}, limits);
    std::vector<std::unique_ptr<TcpClient>> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(std::make_unique<TcpClient>(local(running.port)));
        clients.back()->send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
        CHECK(content(clients.back()->response()) == "ok");
    }
    CHECK(clients[0]->is_closed());
    for (std::size_t i = 1; i < 4; ++i) {
        clients[i]->send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
        CHECK(content(clients[i]->response()) == "ok");
    }
}

TEST_CASE("a unix socket serves as well") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("health.sock");
    {
        Running running({{}, 0, path});
        CHECK(running.port == 0);
        Client<asio::local::stream_protocol> client{asio::local::stream_protocol::endpoint(path)};
        client.send("GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n");
        CHECK(content(client.response()) == "ok");
    }
}

TEST_CASE("an address that is in use is an error at the start that names it") {
    Running running;
    asio::io_context loop;
    FakeSource source;
    HealthServer second(loop, {"127.0.0.1", running.port, {}}, source);
    std::string what;
    try {
        second.start();
    } catch (const boost::system::system_error& error) {
        what = error.what();
    }
    CHECK(what.find("127.0.0.1:" + std::to_string(running.port)) != std::string::npos);
    CHECK(what.find("in use") != std::string::npos);
}

TEST_CASE("stopping closes connections and leaves the loop without work") {
    Running running;
    TcpClient idle(local(running.port));
    idle.send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(content(idle.response()) == "ok");
    TcpClient half(local(running.port));
    half.send("GET /li");
    running.stop();  // returns
    CHECK(idle.is_closed());
    CHECK(half.is_closed());
    boost::system::error_code ec;
    asio::io_context loop;
    asio::ip::tcp::socket socket(loop);
    socket.connect(local(running.port), ec);
    CHECK(ec == asio::error::connection_refused);
}

TEST_CASE("a server that goes while connections are open takes them along, although its loop never turns again") {
    asio::io_context loop;
    FakeSource source;
    auto server = std::make_unique<HealthServer>(loop, config::Address{"127.0.0.1", 0, {}}, source);
    server->start();
    TcpClient client(local(server->port()));
    client.send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
    for (int turns = 0; turns < 1000 && !client.has_answer(); ++turns) {
        loop.run_one_for(10ms);
    }
    CHECK(content(client.response()) == "ok");
    server.reset();
    CHECK(client.is_closed());
}
