#include "net/deadline.hpp"

#include "catch.hpp"

#include <memory>
#include <vector>

using namespace onceward;
using std::chrono::steady_clock;

namespace {

struct Probe final : net::Timed {
    Probe(std::vector<int>& hits, int name) : hits_(hits), name_(name) {}
    std::unique_ptr<Probe>* destroys = nullptr;

private:
    void on_deadline() override {
        hits_.push_back(name_);
        if (destroys != nullptr) {
            destroys->reset();
        }
    }
    std::vector<int>& hits_;
    int name_;
};

/// Runs the loop until nothing is left to wait for.
void run(boost::asio::io_context& loop) {
    loop.run_for(seconds{5});
}

}  // namespace

TEST_CASE("a time limit is hit once, and not before its time") {
    boost::asio::io_context loop;
    net::Deadlines deadlines(loop);
    std::vector<int> hits;
    Probe probe(hits, 1);
    const auto set_at = steady_clock::now();
    deadlines.set(probe, milliseconds{60});
    run(loop);
    CHECK(hits == std::vector<int>{1});
    CHECK(steady_clock::now() - set_at >= milliseconds{60});
}

TEST_CASE("a limit that was moved or cleared is not hit at its old time") {
    boost::asio::io_context loop;
    net::Deadlines deadlines(loop);
    std::vector<int> hits;
    Probe moved(hits, 1);
    Probe cleared(hits, 2);
    Probe plain(hits, 3);
    deadlines.set(moved, milliseconds{20});
    deadlines.set(moved, milliseconds{150});
    deadlines.set(cleared, milliseconds{20});
    net::Deadlines::clear(cleared);
    deadlines.set(plain, milliseconds{40});
    run(loop);
    CHECK(hits == std::vector<int>{3, 1});
}

TEST_CASE("an entry that another's callback destroys is not called") {
    boost::asio::io_context loop;
    net::Deadlines deadlines(loop);
    std::vector<int> hits;
    Probe first(hits, 1);
    auto second = std::make_unique<Probe>(hits, 2);
    Probe third(hits, 3);
    first.destroys = &second;
    deadlines.set(first, milliseconds{20});
    deadlines.set(*second, milliseconds{20});
    deadlines.set(third, milliseconds{20});
    run(loop);
    CHECK(hits == std::vector<int>{1, 3});
}

TEST_CASE("a loop without limits has no timer to wait for") {
    boost::asio::io_context loop;
    net::Deadlines deadlines(loop);
    {
        std::vector<int> hits;
        Probe gone(hits, 1);
        deadlines.set(gone, std::chrono::hours{1});
    }
    const auto begun = steady_clock::now();
    run(loop);
    CHECK(steady_clock::now() - begun < seconds{2});
}
