#include "telemetry/line_ring.hpp"

#include "catch.hpp"

#include <string>
#include <thread>

using onceward::telemetry::LineRing;

namespace {

std::string popped(LineRing& ring, std::size_t size) {
    std::string out(size, '\0');
    out.resize(ring.pop(out.data(), size));
    return out;
}

}  // namespace

TEST_CASE("lines come out as they went in, also around the end of the ring") {
    LineRing ring(16);
    for (int round = 0; round < 40; ++round) {
        const auto line = std::string(static_cast<std::size_t>(round % 11), static_cast<char>('a' + round % 26)) + "\n";
        REQUIRE(ring.push(line));
        CHECK(ring.used() == line.size());
        CHECK(popped(ring, 16) == line);
    }
}

TEST_CASE("a line that does not fit is refused whole and the ring stays as it was") {
    LineRing ring(16);
    REQUIRE(ring.push("0123456\n"));
    CHECK_FALSE(ring.push("01234567\n"));
    CHECK(ring.push("abcdefg\n"));
    CHECK_FALSE(ring.push("\n"));
    CHECK(popped(ring, 16) == "0123456\nabcdefg\n");
}

TEST_CASE("only whole lines come out when not all fit") {
    LineRing ring(32);
    REQUIRE(ring.push("one\n"));
    REQUIRE(ring.push("second\n"));
    CHECK(popped(ring, 6) == "one\n");
    CHECK(popped(ring, 6).empty());
    CHECK(popped(ring, 7) == "second\n");
}

TEST_CASE("between two threads no line is lost, doubled or torn") {
    LineRing ring(256);
    constexpr int count = 100'000;
    std::thread producer([&] {
        for (int i = 0; i < count; ++i) {
            const auto line = std::to_string(i) + "\n";
            while (!ring.push(line)) {
                std::this_thread::yield();
            }
        }
    });
    std::string expected;
    std::string got;
    for (int i = 0; i < count; ++i) {
        expected += std::to_string(i) + "\n";
    }
    while (got.size() < expected.size()) {
        const auto some = popped(ring, 64);
        if (some.empty()) {
            std::this_thread::yield();
        }
        got += some;
    }
    producer.join();
    CHECK((got == expected));
}
