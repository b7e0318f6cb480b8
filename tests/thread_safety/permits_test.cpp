#include "upstream/permits.hpp"

#include "catch.hpp"
#include "loops.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <future>

using namespace onceward;
using upstream::Permits;

namespace {

constexpr int executions_each = 2'000;
constexpr std::chrono::seconds longest_wait{120};

/// What all loops hold at once.
struct Holders {
    std::atomic<int> now{0};
    std::atomic<int> highest{0};

    void add() {
        const int count = ++now;
        int seen = highest.load();
        while (count > seen && !highest.compare_exchange_weak(seen, count)) {
        }
    }
};

/// A loop that executes one request after the other, each under a permit, and waits for one in the way of the pool.
class Taker {
public:
    Taker(boost::asio::io_context& loop, Permits& permits, Holders& holders)
        : loop_(loop),
          permits_(permits),
          holders_(holders),
          index_(permits.add_loop(
              loop, [this] { try_to_take(); }, [this] { ++asked_; })) {}

    /// From the loop.
    void begin() {
        waiting_ = true;
        if (!try_to_take()) {
            permits_.set_waiting(index_, 1);
            // One may have come free before this loop was known to wait.
            try_to_take();
        }
    }
    std::future<void> ended() { return ended_.get_future(); }

private:
    bool try_to_take() {
        if (!waiting_ || !permits_.take()) {
            return false;
        }
        waiting_ = false;
        permits_.set_waiting(index_, 0);
        holders_.add();
        boost::asio::post(loop_, [this] { give(); });
        return true;
    }
    void give() {
        --holders_.now;
        permits_.give();
        if (--left_ == 0) {
            ended_.set_value();
        } else {
            begin();
        }
    }

    boost::asio::io_context& loop_;
    Permits& permits_;
    Holders& holders_;
    int left_ = executions_each;
    int asked_ = 0;
    bool waiting_ = false;
    std::promise<void> ended_;
    std::size_t index_;
};

}  // namespace

TEST_CASE("loops that wait for one permit all get on: no wake-up is lost, and never are more out than there are") {
    test::Loops loops(3);
    Permits permits(1);
    Holders holders;
    std::vector<std::unique_ptr<Taker>> takers;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        takers.push_back(std::make_unique<Taker>(loops[i], permits, holders));
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
        boost::asio::post(loops[i], [&taker = *takers[i]] { taker.begin(); });
    }
    loops.run();
    for (auto& taker : takers) {
        CHECK(taker->ended().wait_for(longest_wait) == std::future_status::ready);
    }
    loops.finish();
    CHECK(holders.highest == 1);
    CHECK(permits.take());
    CHECK_FALSE(permits.take());
}
