#include "catch.hpp"
#include "rig.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

/// Every byte value, NUL and 0xFF among them, in an order that repeats at no power of two.
std::string content(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<char>((i * 7 + i / 251) & 0xFFU);
    }
    return bytes;
}

}  // namespace

TEST_CASE("an answer comes back byte for byte") {
    Rig rig;
    const auto size = GENERATE(as<std::size_t>{}, 0, 1, 255, 4'096, 65'537, 1'048'576);
    const auto request = claim_request(1, 10);
    auto answer = test::response(299, content(size));
    rig.apply(command(request, rig.win(request), Complete{answer}), 0);
    const auto existing = rig.meet(claim_request(1, 11), 3);
    REQUIRE(existing.record.response);
    CHECK(existing.record.response->status == 299);
    CHECK(existing.record.response->head == answer.head);
    CHECK((existing.record.response->body == answer.body));
    CHECK_FALSE(existing.record.response->truncated);
}

TEST_CASE("the head of an answer comes back byte for byte") {
    Rig rig;
    const auto request = claim_request(1, 10);
    auto answer = test::response();
    answer.head = "\r\nX-Latin: caf\xE9\r\nX-Empty:\r\nX-Tab: a\tb\r\nX-Long: " + std::string(60'000, 'x') + "\r\n";
    rig.apply(command(request, rig.win(request), Complete{answer}));
    const auto existing = rig.meet(claim_request(1, 11), 2);
    REQUIRE(existing.record.response);
    CHECK((existing.record.response->head == answer.head));
}

TEST_CASE("a truncated answer comes back without content, with its digest") {
    Rig rig;
    const auto request = claim_request(1, 10);
    auto answer = test::response(200, "", 77);
    answer.truncated = true;
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, Complete{answer}));
    const auto existing = rig.meet(claim_request(1, 11), 1);
    REQUIRE(existing.record.response);
    CHECK(existing.record.response->truncated);
    CHECK(existing.record.response->body.empty());
    CHECK(existing.record.response->status == 200);
    CHECK(existing.record.response->digest == test::digest(77));
    CHECK(rig.apply(command(request, claim, Complete{answer}), 2).verdict == CommandVerdict::applied);
}

}  // namespace onceward::contract
