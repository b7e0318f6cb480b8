#include "store/sqlite/steered_clock.hpp"

#include "catch.hpp"

using namespace onceward;
using namespace onceward::store;
using namespace onceward::store::sqlite;
using std::chrono::hours;

namespace {

constexpr microseconds noon = hours{24 * 365 * 56};
constexpr microseconds up = hours{5};

SteeredClock started(microseconds wall = noon) {
    return SteeredClock{HostTime{up, wall}, "boot-a", std::nullopt};
}

}  // namespace

TEST_CASE("a store without a mark starts at the wall clock") {
    CHECK(started().latest() == StoreTime{noon});
}

TEST_CASE("time passes as it does for the machine") {
    auto clock = started();
    CHECK(clock.advance({up + seconds{7}, noon + seconds{7}}) == StoreTime{noon + seconds{7}});
}

TEST_CASE("a wall clock that is set back does not take the store back") {
    auto clock = started();
    const auto before = clock.advance({up + seconds{10}, noon + seconds{10}});
    const auto after = clock.advance({up + seconds{20}, noon - hours{10}});
    CHECK(after > before);
    CHECK(after - before >= milliseconds{9'900});
    CHECK(after - before <= seconds{10});
}

TEST_CASE("a wall clock that is set a day forward ends no lease") {
    auto clock = started();
    const auto before = clock.advance({up + seconds{10}, noon + seconds{10}});
    const auto after = clock.advance({up + seconds{20}, noon + hours{24}});
    CHECK(after - before >= seconds{10});
    CHECK(after - before <= milliseconds{10'100});
    CHECK(clock.wall_ahead() > SteeredClock::far);
}

TEST_CASE("a wall clock that is ahead is reached slowly and not passed") {
    auto clock = started();
    auto wall = noon + seconds{2};
    for (int second = 1; second <= 300; ++second) {
        const auto now = clock.advance({up + seconds{second}, wall + seconds{second}});
        CHECK(now <= StoreTime{wall + seconds{second}});
    }
    CHECK(clock.latest() == StoreTime{wall + seconds{300}});
}

TEST_CASE(
    "a process that was stopped for a day wakes to the time that passed, and to no more than 100 ms of the wall clock's jump") {
    auto clock = started();
    const auto after = clock.advance({up + hours{24}, noon + hours{48}});
    CHECK(after >= StoreTime{noon + hours{24}});
    CHECK(after <= StoreTime{noon + hours{24} + milliseconds{100}});
}

TEST_CASE("a second process of the same boot reads the clock of the first, whatever the wall clock says by then") {
    auto first = started();
    first.advance({up + seconds{10}, noon + seconds{10}});
    const SteeredClock second{HostTime{up + seconds{15}, noon + hours{24}}, "boot-a", first.mark()};
    CHECK(second.latest() == StoreTime{noon + seconds{15}});
}

TEST_CASE("after a boot the clock starts at the wall clock") {
    const auto mark = started().mark();
    const SteeredClock clock{HostTime{seconds{20}, noon + hours{3}}, "boot-b", mark};
    CHECK(clock.latest() == StoreTime{noon + hours{3}});
}

TEST_CASE("after a boot with a wall clock that is behind, the clock starts where it was") {
    const auto mark = started().mark();
    const SteeredClock clock{HostTime{seconds{20}, noon - hours{3}}, "boot-b", mark};
    CHECK(clock.latest() == StoreTime{noon});
}

TEST_CASE("a mark from a later moment of this boot is not believed") {
    const ClockMark mark{"boot-a", up + hours{1}, StoreTime{noon + hours{1}}};
    const SteeredClock clock{HostTime{up, noon + hours{2}}, "boot-a", mark};
    CHECK(clock.latest() == StoreTime{noon + hours{2}});
}

TEST_CASE("a time that another process wrote moves the clock, a time far ahead does not") {
    auto clock = started();
    clock.observe(StoreTime{noon + seconds{3}});
    CHECK(clock.latest() == StoreTime{noon + seconds{3}});
    CHECK(clock.advance({up + seconds{1}, noon + seconds{4}}) == StoreTime{noon + seconds{4}});
    clock.observe(StoreTime{noon + hours{1}});
    CHECK(clock.latest() == StoreTime{noon + seconds{4}});
    clock.observe(StoreTime{noon});
    CHECK(clock.latest() == StoreTime{noon + seconds{4}});
}

TEST_CASE("the host's clocks are read") {
    const auto first = read_host_time();
    const auto second = read_host_time();
    CHECK(first.boot > microseconds{0});
    CHECK(second.boot >= first.boot);
    CHECK(first.wall > hours{24 * 365 * 50});
    CHECK(read_boot_id().size() == 36);
}
