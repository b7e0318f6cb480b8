#include "onceward/id/owner_token.hpp"

#include "catch.hpp"

#include <set>
#include <thread>
#include <vector>

using namespace onceward;

TEST_CASE("owner tokens differ, over threads as well") {
    constexpr std::size_t each = 2000;
    std::vector<std::vector<OwnerToken>> made(3);
    std::vector<std::thread> threads;
    for (auto& mine : made) {
        threads.emplace_back([&mine] {
            for (std::size_t i = 0; i < each; ++i) {
                mine.push_back(id::make_owner_token());
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    std::set<OwnerToken> all;
    for (const auto& mine : made) {
        all.insert(mine.begin(), mine.end());
    }
    CHECK(all.size() == 3 * each);
    CHECK(all.count(OwnerToken{}) == 0);
}

TEST_CASE("every bit of an owner token is drawn") {
    OwnerToken ones;
    OwnerToken zeros;
    for (int i = 0; i < 200; ++i) {
        const auto token = id::make_owner_token();
        for (std::size_t b = 0; b < OwnerToken::size; ++b) {
            ones.bytes[b] = static_cast<std::uint8_t>(ones.bytes[b] | token.bytes[b]);
            zeros.bytes[b] = static_cast<std::uint8_t>(zeros.bytes[b] | ~token.bytes[b]);
        }
    }
    for (std::size_t b = 0; b < OwnerToken::size; ++b) {
        CHECK(ones.bytes[b] == 0xFF);
        CHECK(zeros.bytes[b] == 0xFF);
    }
}
