#include "onceward/crypto/random.hpp"

#include "catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

using onceward::crypto::random_bytes;
using Token = std::array<std::uint8_t, 16>;

namespace {
Token token() {
    Token bytes{};
    random_bytes(bytes);
    return bytes;
}
}  // namespace

TEST_CASE("tokens never repeat, also over many refills of the buffer") {
    std::set<Token> seen;
    for (int i = 0; i < 2000; ++i) {
        seen.insert(token());
    }
    CHECK(seen.size() == 2000);
}

TEST_CASE("each length is filled whole") {
    for (const std::size_t size : {std::size_t{1}, std::size_t{33}, std::size_t{4096}, std::size_t{5000}}) {
        std::vector<std::uint8_t> bytes(size + 1, 0);
        std::vector<bool> touched(size, false);
        // A byte that is zero in 8 draws in a row was not written (chance 2^-64).
        for (int i = 0; i < 8; ++i) {
            random_bytes(std::span(bytes).first(size));
            for (std::size_t at = 0; at < size; ++at) {
                touched[at] = touched[at] || bytes[at] != 0;
            }
        }
        CHECK(std::count(touched.begin(), touched.end(), true) == static_cast<std::ptrdiff_t>(size));
        CHECK(bytes[size] == 0);
    }
}

TEST_CASE("a forked process does not get the bytes that its parent gets") {
    token();
    std::array<int, 2> pipe_ends{};
    REQUIRE(pipe(pipe_ends.data()) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto bytes = token();
        _exit(write(pipe_ends[1], bytes.data(), bytes.size()) == 16 ? 0 : 1);
    }
    const auto ours = token();
    Token theirs{};
    CHECK(read(pipe_ends[0], theirs.data(), theirs.size()) == 16);
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(ours != theirs);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}
