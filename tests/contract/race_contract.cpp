#include "catch.hpp"
#include "rig.hpp"

#include <algorithm>

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

constexpr std::size_t racers = 8;
constexpr std::uint64_t rounds = 100;

std::vector<ClaimRequest> racing_requests(std::uint64_t id, std::uint64_t first_owner) {
    std::vector<ClaimRequest> requests;
    for (std::size_t i = 0; i < racers; ++i) {
        requests.push_back(claim_request(id, first_owner + i));
    }
    return requests;
}

std::size_t winners(const std::vector<ClaimReply>& replies) {
    return static_cast<std::size_t>(
        std::count_if(replies.begin(), replies.end(), [](const ClaimReply& r) { return std::holds_alternative<Claimed>(r); }));
}

const Claim& winner(const std::vector<ClaimReply>& replies) {
    const auto found =
        std::find_if(replies.begin(), replies.end(), [](const ClaimReply& r) { return std::holds_alternative<Claimed>(r); });
    REQUIRE(found != replies.end());
    return std::get<Claimed>(*found).claim;
}

bool losers_meet(const std::vector<ClaimReply>& replies, const Claim& claim) {
    return std::all_of(replies.begin(), replies.end(), [&](const ClaimReply& reply) {
        const auto* existing = std::get_if<Existing>(&reply);
        return existing == nullptr ||
               (existing->record.owner == claim.owner && existing->record.state == RecordState::processing);
    });
}

}  // namespace

TEST_CASE("of many claims on a new key exactly one executes") {
    Rig rig;
    std::uint64_t rounds_with_one_winner = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto replies = rig.race(racing_requests(round, 1'000 + round * racers));
        rounds_with_one_winner += std::uint64_t{winners(replies) == 1 && losers_meet(replies, winner(replies))};
    }
    CHECK(rounds_with_one_winner == rounds);
}

TEST_CASE("of many claims on a failed key exactly one executes") {
    Rig rig;
    auto request = claim_request(1, 10);
    auto claim = rig.win(request);
    std::uint64_t rounds_with_one_winner = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        rig.apply(command(request, claim, Fail{FailureKind::answered, "status:503"}), round % Rig::loop_count);
        const auto requests = racing_requests(1, 1'000 + round * racers);
        const auto replies = rig.race(requests);
        const auto& next = winner(replies);
        const bool risen = next.fence > claim.fence && next.attempt.value == claim.attempt.value + 1;
        rounds_with_one_winner += std::uint64_t{winners(replies) == 1 && losers_meet(replies, next) && risen};
        claim = next;
        request.owner = next.owner;
    }
    CHECK(rounds_with_one_winner == rounds);
}

TEST_CASE("of many claims that may reforward exactly one executes") {
    Rig rig;
    auto request = claim_request(1, 10);
    auto claim = rig.win(request);
    std::uint64_t rounds_with_one_winner = 0;
    for (std::uint64_t round = 0; round < rounds / 4; ++round) {
        rig.apply(command(request, claim, MarkUnknown{"reset"}));
        auto requests = racing_requests(1, 1'000 + round * racers);
        for (auto& each : requests) {
            each.on_unknown = UnknownPolicy::reforward;
        }
        const auto replies = rig.race(requests);
        rounds_with_one_winner += std::uint64_t{winners(replies) == 1};
        claim = winner(replies);
        request.owner = claim.owner;
    }
    CHECK(rounds_with_one_winner == rounds / 4);
}

TEST_CASE("one claim sent many times at once is one claim") {
    Rig rig;
    std::uint64_t rounds_with_one_claim = 0;
    for (std::uint64_t round = 0; round < rounds / 4; ++round) {
        const auto replies = rig.race(std::vector<ClaimRequest>(racers, claim_request(round, 500 + round)));
        const auto& claim = winner(replies);
        const bool all_same = std::all_of(replies.begin(), replies.end(), [&](const ClaimReply& reply) {
            const auto* claimed = std::get_if<Claimed>(&reply);
            return claimed != nullptr && claimed->claim.fence == claim.fence && claimed->claim.attempt == claim.attempt;
        });
        rounds_with_one_claim += std::uint64_t{all_same};
    }
    CHECK(rounds_with_one_claim == rounds / 4);
}

}  // namespace onceward::contract
