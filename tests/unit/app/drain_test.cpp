#include "app/drain.hpp"

#include "net/spawn.hpp"
#include "one_loop.hpp"

using namespace onceward;
using test::OneLoop;

namespace {

/// A connection to a port of this machine that the other side has not accepted yet.
class Caller {
public:
    explicit Caller(const net::Acceptor& acceptor) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const auto endpoint = acceptor.local_endpoint();
        REQUIRE(::connect(socket_, endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0);
    }
    ~Caller() { ::close(socket_); }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    void send(std::string_view text) const {
        REQUIRE(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] std::string receive() const {
        std::string text(65536, ' ');
        const auto n = ::recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
        text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return text;
    }

private:
    int socket_;
};

}  // namespace

TEST_CASE("a connection that nobody had taken when the listeners closed is served like any other") {
    OneLoop one("upstream: unix:/nobody/listens/here\nroutes:\n  - {name: orders, path: /orders}");
    auto& worker = one.worker;
    const auto now = base::wall_clock();
    worker.loop.ids.set_grant({1, now - seconds{1}, now + std::chrono::hours{1}}, {});
    auto acceptors = net::open_listeners({&worker.io}, {"127.0.0.1", 0, {}});
    worker.acceptors.push_back(std::move(acceptors.front()));
    const Caller caller(worker.acceptors.front());
    app::Supervisor nobody("");
    app::Drain drain(one.workers, nobody);
    bool ended = false;
    net::spawn(worker.io, drain.run(one.feed.options()), [&ended](const std::exception_ptr& /*escaped*/) { ended = true; });
    one.run_until([&] { return !worker.acceptors.front().is_open(); });
    for (int turns = 0; turns < 100; ++turns) {
        worker.io.poll_one();
    }
    caller.send("POST /orders HTTP/1.1\r\nHost: a\r\nIdempotency-Key: 0123456789abcdef\r\nContent-Length: 0\r\n\r\n");
    std::string answer;
    one.run_until([&] { return !(answer += caller.receive()).empty(); });
    // It was tried: the service is not there.
    CHECK(answer.find("UPSTREAM_UNREACHABLE") != std::string::npos);
    CHECK(answer.find("\r\nConnection: close\r\n") != std::string::npos);
    one.run_until([&] { return ended && worker.loop.coroutine_count == 0; });
    CHECK(worker.drained);
}
