#include "upstream/pool.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <list>

using namespace onceward;
using upstream::Freshness;
using upstream::Slot;

namespace {

/// A pool on a loop, in front of a listener that accepts and keeps what it accepted.
struct Scene {
    boost::asio::io_context loop;
    net::Deadlines deadlines{loop};
    boost::asio::ip::tcp::acceptor acceptor{loop, {boost::asio::ip::address_v4::loopback(), 0}};
    std::list<boost::asio::ip::tcp::socket> accepted;
    config::Upstream options;
    upstream::Permits permits;
    std::unique_ptr<upstream::Pool> pool;

    explicit Scene(std::int64_t max) : permits(max) {
        options.address = {"127.0.0.1", acceptor.local_endpoint().port(), {}};
        options.queue_timeout = milliseconds{80};
        pool = std::make_unique<upstream::Pool>(loop, deadlines, options, permits);
        acceptor.non_blocking(true);
    }
    void accept() {
        boost::system::error_code ec;
        for (;;) {
            boost::asio::ip::tcp::socket socket(loop);
            acceptor.accept(socket, ec);
            if (ec) {
                return;
            }
            accepted.push_back(std::move(socket));
        }
    }
    template <typename Coroutine>
    void run(Coroutine coroutine) {
        bool ended = false;
        net::spawn(loop, std::move(coroutine), [&](const std::exception_ptr& escaped) {
            REQUIRE_FALSE(escaped);
            ended = true;
        });
        const auto give_up = std::chrono::steady_clock::now() + seconds{5};
        while (!ended && std::chrono::steady_clock::now() < give_up) {
            loop.restart();
            loop.run_one_for(milliseconds{100});
            accept();
        }
        REQUIRE(ended);
    }
};

Task<> connect(Slot& slot, boost::system::error_code& ec) {
    ec = co_await slot.connect();
}
Task<> acquire(Scene& scene, Slot& slot) {
    slot = co_await scene.pool->acquire(Freshness::pooled);
}

/// A connection that was used and given back clean.
void leave_idle(Scene& scene) {
    auto slot = scene.pool->try_acquire(Freshness::pooled);
    REQUIRE(slot.valid());
    boost::system::error_code ec;
    scene.run(connect(slot, ec));
    REQUIRE(!ec);
    slot.mark_reusable();
}

void pass_fresh_limit() {
    const auto later = std::chrono::steady_clock::now() + 2 * upstream::Pool::fresh_limit;
    while (std::chrono::steady_clock::now() < later) {
    }
}

}  // namespace

TEST_CASE("a clean connection is used again, a used one that nobody called clean is not") {
    Scene scene(2);
    leave_idle(scene);
    {
        auto slot = scene.pool->try_acquire(Freshness::pooled);
        REQUIRE(slot.connected());
        CHECK(slot.was_idle());
        CHECK(slot.stream().is_open());  // the access that makes it a used one
    }
    auto next = scene.pool->try_acquire(Freshness::pooled);
    CHECK(next.valid());
    CHECK_FALSE(next.connected());
}

TEST_CASE("a slot that was reserved and not used puts its idle connection back") {
    Scene scene(2);
    leave_idle(scene);
    { auto unused = scene.pool->try_acquire(Freshness::pooled); }
    CHECK(scene.pool->try_acquire(Freshness::pooled).connected());
}

TEST_CASE("an idle connection that the service closed is not handed out") {
    Scene scene(2);
    leave_idle(scene);
    scene.accepted.clear();
    auto slot = scene.pool->try_acquire(Freshness::pooled);
    CHECK(slot.valid());
    CHECK_FALSE(slot.ready());
    CHECK_FALSE(slot.was_idle());
}

TEST_CASE("a guarded request does not go out on a connection that was idle for long") {
    Scene scene(2);
    leave_idle(scene);
    pass_fresh_limit();
    CHECK_FALSE(scene.pool->try_acquire(Freshness::fresh).connected());
}

TEST_CASE("a reservation that was not used does not make an idle connection fresh") {
    Scene scene(2);
    leave_idle(scene);
    pass_fresh_limit();
    CHECK(scene.pool->try_acquire(Freshness::pooled).connected());
    CHECK_FALSE(scene.pool->try_acquire(Freshness::fresh).connected());
}

TEST_CASE("beyond the limit a request waits in turn for a slot, and for queue_timeout at most") {
    Scene scene(1);
    auto held = scene.pool->try_acquire(Freshness::pooled);
    REQUIRE(held.valid());
    Slot late;
    scene.run(acquire(scene, late));
    CHECK_FALSE(late.valid());
    boost::asio::post(scene.loop, [&held] { held.give_back(); });
    scene.run(acquire(scene, late));
    CHECK(late.valid());
}

TEST_CASE("a closed connection gives its permit back") {
    Scene scene(1);
    for (int i = 0; i < 3; ++i) {
        auto slot = scene.pool->try_acquire(Freshness::fresh);
        REQUIRE(slot.valid());
        boost::system::error_code ec;
        scene.run(connect(slot, ec));
        CHECK(!ec);
    }
}

TEST_CASE("nobody listening is an error, and the slot stays usable") {
    Scene scene(1);
    scene.acceptor.close();
    auto slot = scene.pool->try_acquire(Freshness::fresh);
    boost::system::error_code ec;
    scene.run(connect(slot, ec));
    CHECK(ec == boost::asio::error::connection_refused);
    CHECK(slot.valid());
    CHECK_FALSE(slot.connected());
}

TEST_CASE("another address: no connection to the old one carries a further request") {
    Scene scene(3);
    leave_idle(scene);
    auto reserved = scene.pool->try_acquire(Freshness::pooled);
    REQUIRE(reserved.connected());
    auto used = scene.pool->try_acquire(Freshness::pooled);
    boost::system::error_code ec;
    scene.run(connect(used, ec));
    REQUIRE(!ec);
    boost::asio::ip::tcp::acceptor other(scene.loop, {boost::asio::ip::address_v4::loopback(), 0});
    scene.options.address.port = other.local_endpoint().port();
    scene.pool->set_options(scene.options);
    CHECK_FALSE(reserved.ready());
    scene.run(connect(reserved, ec));
    REQUIRE(!ec);
    CHECK(reserved.stream().socket().remote_endpoint().size() > 0);
    other.non_blocking(true);
    boost::asio::ip::tcp::socket taken(scene.loop);
    other.accept(taken, ec);
    CHECK(!ec);
    used.mark_reusable();
    used.give_back();
    CHECK_FALSE(scene.pool->try_acquire(Freshness::pooled).connected());
}

TEST_CASE("the same address: idle connections stay, and new limits hold") {
    Scene scene(2);
    leave_idle(scene);
    scene.options.queue_timeout = milliseconds{1};
    scene.pool->set_options(scene.options);
    CHECK(scene.pool->try_acquire(Freshness::pooled).connected());
    scene.permits.set_max(0);
    scene.pool->set_options(scene.options);
    Slot none;
    const auto begun = std::chrono::steady_clock::now();
    scene.run(acquire(scene, none));
    CHECK_FALSE(none.valid());
    CHECK(std::chrono::steady_clock::now() - begun < milliseconds{80});
}
