#include "store/redis/backoff.hpp"

#include "catch.hpp"

#include <set>

namespace onceward::store::redis {

TEST_CASE("the first pause is none, then they double up to two seconds, each shortened by up to half") {
    Backoff backoff(42);
    CHECK(backoff.next() == milliseconds{0});
    for (auto full = Backoff::shortest; full < Backoff::longest; full *= 2) {
        const auto pause = backoff.next();
        CHECK(pause <= full);
        CHECK(pause >= full / 2);
    }
    for (int i = 0; i < 100; ++i) {
        const auto pause = backoff.next();
        CHECK(pause <= Backoff::longest);
        CHECK(pause >= Backoff::longest / 2);
    }
}

TEST_CASE("a connection that worked starts the pauses over") {
    Backoff backoff(42);
    for (int i = 0; i < 10; ++i) {
        backoff.next();
    }
    backoff.reset();
    CHECK(backoff.next() == milliseconds{0});
    CHECK(backoff.next() <= Backoff::shortest);
}

TEST_CASE("two who lost the same server do not come back in step") {
    std::set<milliseconds> pauses;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Backoff backoff(seed * 0x9e3779b97f4a7c15U);
        for (int i = 0; i < 9; ++i) {
            backoff.next();
        }
        pauses.insert(backoff.next());
    }
    CHECK(pauses.size() > 10);
}

}  // namespace onceward::store::redis
