#include "net/event.hpp"

#include "catch.hpp"

#include <string>

using namespace onceward;
using std::chrono::steady_clock;

namespace {

Task<> wait_and_note(net::Event& event, std::string& log) {
    co_await event.wait();
    event.take();
    log += "woken ";
}

Task<> wait_until(net::Event& event, net::Deadlines& deadlines, milliseconds limit, std::string& log) {
    co_await event.wait_until(deadlines, steady_clock::now() + limit);
    log += event.take() ? "set " : "late ";
}

}  // namespace

TEST_CASE("an event that was set before it is waited on wakes at once, and once") {
    boost::asio::io_context loop;
    net::Event event(loop);
    std::string log;
    event.set();
    event.set();
    net::spawn(loop, wait_and_note(event, log));
    loop.run_for(seconds{2});
    CHECK(log == "woken ");
    loop.restart();
    net::spawn(loop, wait_and_note(event, log));
    loop.run_for(milliseconds{50});
    CHECK(log == "woken ");
    event.set();
    loop.restart();
    loop.run_for(seconds{2});
    CHECK(log == "woken woken ");
}

TEST_CASE("setting an event never runs its waiter inside the call") {
    boost::asio::io_context loop;
    net::Event event(loop);
    std::string log;
    net::spawn(loop, wait_and_note(event, log));
    loop.poll();
    event.set();
    CHECK(log.empty());
    loop.restart();
    loop.run_for(seconds{2});
    CHECK(log == "woken ");
}

TEST_CASE("a wait with a limit tells whether the event came") {
    boost::asio::io_context loop;
    net::Deadlines deadlines(loop);
    net::Event event(loop);
    std::string log;
    net::spawn(loop, wait_until(event, deadlines, milliseconds{40}, log));
    loop.run_for(seconds{2});
    CHECK(log == "late ");
    net::spawn(loop, wait_until(event, deadlines, std::chrono::minutes{1}, log));
    boost::asio::post(loop, [&event] { event.set(); });
    loop.restart();
    loop.run_for(seconds{2});
    CHECK(log == "late set ");
}
