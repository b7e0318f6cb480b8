#include "one_loop.hpp"

using namespace onceward;
using test::Client;
using test::OneLoop;

namespace {

/// Called in each sweep of the time limits, behind those that were set before it, until it says that it has had enough.
class InSweep final : public net::Timed {
public:
    InSweep(net::Deadlines& deadlines, std::function<bool()> look) : deadlines_(deadlines), look_(std::move(look)) { set(); }

private:
    void set() { deadlines_.set(*this, std::chrono::steady_clock::now()); }
    void on_deadline() override {
        if (!look_()) {
            set();
        }
    }

    net::Deadlines& deadlines_;
    std::function<bool()> look_;
};

constexpr std::string_view keyless = "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";

}  // namespace

TEST_CASE("an idle connection ends with the drain that meets its second look just when that is over") {
    OneLoop one("upstream: http://127.0.0.1:3000\nroutes:\n  - {name: orders, path: /orders}");
    auto& loop = one.worker.loop;
    const Client client(loop);
    client.send(keyless);
    std::string answer;
    one.run_until([&] { return !(answer += client.receive()).empty(); });
    CHECK(answer.starts_with("HTTP/1.1 400 "));
    CHECK(answer.find("Connection: close") == std::string::npos);
    bool drained = false;
    std::string last;
    SECTION("nothing comes") {}
    SECTION("a request comes at the last moment") {
        last = keyless;
    }
    const InSweep drain(loop.deadlines, [&] {
        auto& session = loop.sessions.front();
        if (!session.stream.timed_out()) {
            return false;
        }
        // The read is cancelled, and its coroutine has not heard of it.
        loop.draining = loop.closing = drained = true;
        client.send(last);
        session.drain();
        return true;
    });
    one.run_until([&] { return drained; });
    const auto begun = std::chrono::steady_clock::now();
    one.run_until([&] { return loop.sessions.empty(); });
    CHECK(std::chrono::steady_clock::now() - begun < seconds{10});
    answer = client.receive();
    CHECK(answer.empty() == last.empty());
    CHECK(last.empty() == (answer.find("\r\nConnection: close\r\n") == std::string::npos));
}
