#include "catch.hpp"
#include "net/spawn.hpp"
#include "net/use_task.hpp"
#include "onceward/base/time.hpp"

#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace onceward;

namespace {

namespace asio = boost::asio;

/// Notes its end, so that a test sees when a frame is destroyed.
struct Noted {
    std::string& log;
    std::string name;
    Noted(std::string& where, std::string what) : log(where), name(std::move(what)) {}
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() { log += name + " "; }
};

Task<int> add(int a, int b) {
    co_return a + b;
}

Task<> count_to(int end, int& sum) {
    for (int i = 0; i < end; ++i) {
        sum = co_await add(sum, 1);
    }
}

Task<> wait_in(Suspension& place, std::string& log) {
    const Noted noted(log, "inner");
    co_await suspend([&place](Suspension caller) { place = std::move(caller); });
    log += "resumed ";
}

Task<> wait_below(Suspension& place, std::string& log) {
    const Noted noted(log, "outer");
    co_await wait_in(place, log);
}

Task<std::unique_ptr<int>> make_number(int number) {
    co_return std::make_unique<int>(number);
}

Task<int> fail() {
    throw std::runtime_error("no");
    co_return 0;
}

Task<> catch_failure(std::string& log) {
    try {
        co_await fail();
    } catch (const std::runtime_error& error) {
        log += error.what();
    }
}

Task<> resume_inside(std::string& log) {
    co_await suspend([](Suspension caller) { caller.resume(); });
    log += "on";
}

Task<> drop_inside() {
    co_await suspend([](Suspension caller) { const auto dropped = std::move(caller); });
}

Task<> sleep_twice(asio::io_context& loop, std::string& log) {
    asio::steady_timer timer(loop, milliseconds{1});
    const auto [first] = co_await timer.async_wait(net::use_task);
    timer.expires_after(std::chrono::hours{1});
    asio::post(loop, [&timer] { timer.cancel(); });
    const auto [second] = co_await timer.async_wait(net::use_task);
    log += first ? "failed " : "fine ";
    log += second == asio::error::operation_aborted ? "aborted" : "fine";
}

Task<> sleep_long(asio::io_context& loop, std::string& log) {
    const Noted noted(log, "ended");
    asio::steady_timer timer(loop, std::chrono::hours{1});
    co_await timer.async_wait(net::use_task);
}

Task<> allocate_below(int depth) {
    if (depth > 0) {
        co_await allocate_below(depth - 1);
    }
}

}  // namespace

TEST_CASE("children that need not wait pile up no stack") {
    asio::io_context loop;
    int sum = 0;
    net::spawn(loop, count_to(1'000'000, sum));
    loop.run();
    CHECK(sum == 1'000'000);
}

TEST_CASE("a task begins when it is awaited, and a spawned one from the loop") {
    asio::io_context loop;
    std::string log;
    Suspension place;
    net::spawn(loop, wait_below(place, log));
    CHECK_FALSE(place);
    loop.poll();
    REQUIRE(place);
    CHECK(log.empty());
    place.resume();
    CHECK(log == "resumed inner outer ");
}

TEST_CASE("the loop has work while a spawned coroutine waits for nothing that the loop knows") {
    asio::io_context loop;
    std::string log;
    Suspension place;
    net::spawn(loop, wait_below(place, log));
    loop.run_for(milliseconds{20});
    CHECK_FALSE(loop.stopped());
    net::post_resume(loop, std::move(place));
    loop.run();
    CHECK(log == "resumed inner outer ");
}

TEST_CASE("a suspension that is dropped ends the whole chain, innermost first") {
    asio::io_context loop;
    std::string log;
    Suspension place;
    bool completed = false;
    net::spawn(loop, wait_below(place, log), [&completed](const std::exception_ptr&) { completed = true; });
    loop.poll();
    { const auto dropped = std::move(place); }
    CHECK(log == "inner outer ");
    CHECK_FALSE(completed);
}

TEST_CASE("a result is moved out") {
    asio::io_context loop;
    std::optional<std::unique_ptr<int>> number;
    net::spawn(loop, make_number(7),
               [&number](const std::exception_ptr&, std::optional<std::unique_ptr<int>> made) { number = std::move(made); });
    loop.run();
    REQUIRE(number);
    CHECK(**number == 7);
}

TEST_CASE("an exception goes to who waits, and else to the completion") {
    asio::io_context loop;
    std::string log;
    net::spawn(loop, catch_failure(log));
    loop.run();
    CHECK(log == "no");
    bool failed = false;
    net::spawn(loop, fail(),
               [&failed](const std::exception_ptr& escaped, std::optional<int> result) { failed = escaped && !result; });
    loop.restart();
    loop.run();
    CHECK(failed);
}

TEST_CASE("what a completion throws comes out of the loop") {
    asio::io_context loop;
    net::spawn(loop, drop_inside());
    CHECK_THROWS_AS(loop.run(), Abandoned);
}

TEST_CASE("a suspension that is resumed where it was made goes on at once") {
    asio::io_context loop;
    std::string log;
    net::spawn(loop, resume_inside(log));
    loop.run();
    CHECK(log == "on");
}

TEST_CASE("an operation of Asio gives its results as values") {
    asio::io_context loop;
    std::string log;
    net::spawn(loop, sleep_twice(loop, log));
    loop.run();
    CHECK(log == "fine aborted");
}

TEST_CASE("a loop that is destroyed ends the coroutines that wait in it") {
    std::string log;
    {
        asio::io_context loop;
        net::spawn(loop, sleep_long(loop, log));
        loop.poll();
        net::spawn(loop, sleep_long(loop, log));  // has not begun
        CHECK(log.empty());
    }
    CHECK(log == "ended ");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a frame of a size that was freed is used again, and others are not mixed up with it") {
    void* const small = base::take_frame(100);
    void* const large = base::take_frame(1'000);
    base::free_frame(small, 100);
    base::free_frame(large, 1'000);
    void* const again = base::take_frame(120);
    CHECK(again == small);
    base::free_frame(again, 120);
}

TEST_CASE("what a thread keeps is bounded") {
    std::vector<void*> frames;
    constexpr std::size_t size = 1'024;
    for (std::size_t i = 0; i < 4 * base::frame_pool_bytes / size; ++i) {
        frames.push_back(base::take_frame(size));
    }
    for (auto* frame : frames) {
        base::free_frame(frame, size);
    }
    CHECK(base::kept_frame_bytes() <= base::frame_pool_bytes);
    CHECK(base::kept_frame_bytes() > base::frame_pool_bytes / 2);
    asio::io_context loop;
    net::spawn(loop, allocate_below(100));
    loop.run();
    CHECK(base::kept_frame_bytes() <= base::frame_pool_bytes);
}
#endif
