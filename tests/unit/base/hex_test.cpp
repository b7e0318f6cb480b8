#include "onceward/base/hex.hpp"

#include "catch.hpp"

#include <array>
#include <numeric>
#include <vector>

using namespace onceward;

TEST_CASE("all bytes become two lower-case digits and come back from either case") {
    std::vector<std::uint8_t> all(256);
    std::iota(all.begin(), all.end(), std::uint8_t{0});
    const auto text = base::to_hex(all);
    REQUIRE(text.size() == 512);
    CHECK(text.substr(0, 8) == "00010203");
    CHECK(text.substr(2 * 0x9f, 6) == "9fa0a1");
    CHECK(text.substr(508) == "feff");
    std::vector<std::uint8_t> back(256);
    CHECK(base::from_hex(text, back));
    CHECK(back == all);
    std::array<std::uint8_t, 2> two{};
    CHECK(base::from_hex("aBCd", two));
    CHECK(two == std::array<std::uint8_t, 2>{0xab, 0xcd});
}

TEST_CASE("what is no hexadecimal text of that size is refused") {
    std::array<std::uint8_t, 2> two{};
    for (const auto* text : {"", "abc", "abcde", "ab c", "abcg", "0x12", "ab/0", "ab:0", "ab@0", "ab`0",
                             "ab\xff"
                             "0"}) {
        CHECK_FALSE(base::from_hex(text, two));
    }
}
