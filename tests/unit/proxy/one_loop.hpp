#pragma once

#include "app/rules_feed.hpp"
#include "app/worker.hpp"
#include "catch.hpp"
#include "onceward/config/load.hpp"
#include "onceward/store/memory_store.hpp"
#include "proxy/session.hpp"
#include "proxy/spawn.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace onceward::test {

/// One event loop with what sessions need, and the memory store.
struct OneLoop {
    explicit OneLoop(const std::string& configuration) : feed(plan_of(configuration)) {
        feed.attach(worker.loop);
        worker.loop.store = store::make_memory_store(backend, 0);
    }

    static proxy::PlanPtr plan_of(const std::string& configuration) {
        auto loaded =
            config::load_text(configuration + "\nstore: {url: 'memory:'}\nlog: {access: false}\n", "/etc/onceward/c.yaml");
        REQUIRE(loaded.ok());
        return std::make_shared<const proxy::Plan>(std::move(loaded.options));
    }
    static app::Workers one_worker(const config::Options& options, upstream::Permits& permits,
                                   proxy::ConnectionCount& connections) {
        app::Workers workers;
        workers.push_back(std::make_unique<app::Worker>(options, permits, connections));
        return workers;
    }
    /// Lets the loop go on until something has come about, 30 seconds at most.
    void run_until(const std::function<bool()>& done) {
        const auto limit = std::chrono::steady_clock::now() + seconds{30};
        bool came = done();
        while (!came && std::chrono::steady_clock::now() < limit) {
            worker.io.run_one_for(milliseconds{100});
            came = done();
        }
        REQUIRE(came);
    }

    upstream::Permits permits{8};
    proxy::ConnectionCount connections{8};
    app::RulesFeed feed;
    app::Workers workers = one_worker(feed.options(), permits, connections);
    app::Worker& worker = *workers.front();
    store::MemoryBackend backend{{{&worker.io, &worker.loop.waiters}}};
};

inline Task<> serve(proxy::Loop& loop, net::Socket socket) {
    proxy::Session session(loop, std::move(socket), 0);
    co_await session.run();
}

/// The client's end of a connection that is served.
class Client {
public:
    explicit Client(proxy::Loop& loop) {
        int ends[2] = {-1, -1};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        end_ = ends[0];
        net::Socket socket(loop.io.get_executor());
        socket.assign(boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
        REQUIRE(loop.connections.take());
        proxy::spawn(loop, serve(loop, std::move(socket)));
    }
    ~Client() { ::close(end_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(std::string_view text) const {
        REQUIRE(::send(end_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    }
    /// What has arrived.
    [[nodiscard]] std::string receive() const {
        std::string text(65536, ' ');
        const auto n = ::recv(end_, text.data(), text.size(), MSG_DONTWAIT);
        text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return text;
    }

private:
    int end_ = -1;
};

}  // namespace onceward::test
