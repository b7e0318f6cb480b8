#include "upstream/permits.hpp"

#include "catch.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <thread>

using onceward::upstream::Permits;

TEST_CASE("no more permits are out than there are, whoever takes them") {
    constexpr std::int64_t most = 5;
    Permits permits(most);
    std::atomic<int> out{0};
    std::atomic<int> highest{0};
    const auto work = [&] {
        for (int i = 0; i < 20'000; ++i) {
            if (permits.take()) {
                const int now = ++out;
                int seen = highest.load();
                while (now > seen && !highest.compare_exchange_weak(seen, now)) {
                }
                --out;
                permits.give();
            }
        }
    };
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
    CHECK(highest >= 1);
    CHECK(highest <= most);
    for (int i = 0; i < most; ++i) {
        CHECK(permits.take());
    }
    CHECK_FALSE(permits.take());
}

TEST_CASE("a permit that comes free wakes the loop that waits, and a shortage asks the others for their idle connections") {
    boost::asio::io_context first;
    boost::asio::io_context second;
    int freed = 0;
    int asked = 0;
    Permits permits(1);
    const auto waiting = permits.add_loop(
        first, [&] { ++freed; }, [] { FAIL("a loop was asked for what it waits for itself"); });
    permits.add_loop(
        second, [] { FAIL("a loop was woken that does not wait"); }, [&] { ++asked; });
    REQUIRE(permits.take());
    permits.set_waiting(waiting, 1);
    CHECK(permits.wanted_elsewhere(1));
    CHECK_FALSE(permits.wanted_elsewhere(waiting));
    permits.give();
    first.poll();
    second.poll();
    CHECK(freed == 1);
    CHECK(asked == 1);
}

TEST_CASE("a larger limit holds at once, a smaller one as permits come back") {
    Permits permits(2);
    CHECK(permits.take());
    CHECK(permits.take());
    CHECK_FALSE(permits.take());
    permits.set_max(3);
    CHECK(permits.take());
    CHECK_FALSE(permits.take());
    CHECK_FALSE(permits.exceeded());
    permits.set_max(1);
    CHECK(permits.exceeded());
    permits.give();
    CHECK(permits.exceeded());
    permits.give();
    CHECK_FALSE(permits.exceeded());
    CHECK_FALSE(permits.take());
    permits.give();
    CHECK(permits.take());
    CHECK_FALSE(permits.take());
}

TEST_CASE("who waits for a permit hears of a larger limit") {
    boost::asio::io_context loop;
    int woken = 0;
    Permits permits(1);
    const auto index = permits.add_loop(
        loop, [&] { ++woken; }, [] {});
    CHECK(permits.take());
    permits.set_waiting(index, 1);
    permits.set_max(2);
    loop.run();
    CHECK(woken == 1);
    CHECK(permits.take());
}
