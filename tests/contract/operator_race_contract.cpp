#include "catch.hpp"
#include "rig.hpp"

#include <algorithm>

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;
using test::operator_command;

namespace {

constexpr std::uint64_t rounds = 100;
constexpr std::size_t claims_a_round = 6;

std::vector<Claim> claims_won(const std::vector<Rig::Outcome>& outcomes) {
    std::vector<Claim> won;
    for (const auto& outcome : outcomes) {
        const auto* reply = std::get_if<ClaimReply>(&outcome);
        if (reply != nullptr && std::holds_alternative<Claimed>(*reply)) {
            won.push_back(std::get<Claimed>(*reply).claim);
        }
    }
    return won;
}

std::size_t count(const std::vector<Rig::Outcome>& outcomes, OperatorVerdict verdict) {
    return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), [&](const auto& outcome) {
        const auto* reply = std::get_if<OperatorReply>(&outcome);
        return reply != nullptr && reply->verdict == verdict;
    }));
}

/// The record of round `round`, left UNKNOWN by its owner.
Claim left_unknown(Rig& rig, std::uint64_t round) {
    const auto request = claim_request(round, 10);
    const auto claim = rig.win(request);
    rig.apply(command(request, claim, MarkUnknown{"reset"}));
    return claim;
}

}  // namespace

TEST_CASE("of claims that race a release, sent twice, one executes at most, and the release frees no later claim") {
    Rig rig;
    std::uint64_t right = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        const auto first = left_unknown(rig, round);
        std::vector<Rig::Call> calls;
        for (std::size_t i = 0; i < claims_a_round; ++i) {
            calls.emplace_back(claim_request(round, 100 + i));
        }
        const auto release = operator_command(claim_request(round, 10), first.fence, Release{});
        calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(round % claims_a_round), release);
        calls.emplace_back(release);
        const auto outcomes = rig.race_calls(calls);
        const auto won = claims_won(outcomes);
        const bool heard = count(outcomes, OperatorVerdict::applied) >= 1 &&
                           count(outcomes, OperatorVerdict::applied) + count(outcomes, OperatorVerdict::conflict) == 2;
        const auto next = won.empty() ? rig.win(claim_request(round, 200)) : won.front();
        const bool stands = to_text(rig.find(claim_request(round, 10))->state) == "PROCESSING" &&
                            rig.find(claim_request(round, 10))->owner == next.owner;
        right += std::uint64_t{won.size() <= 1 && heard && stands && next.may && next.attempt.value == 2 &&
                               next.operation_id == first.operation_id};
    }
    CHECK(right == rounds);
}

TEST_CASE("the owner's answer and an operator's word race: one counts, and the other is told so") {
    Rig rig;
    const auto action =
        GENERATE(values<OperatorAction>({Release{}, ResolveCompleted{test::response(202, "by hand", 9)}, ResolveFailed{}}));
    std::uint64_t right = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        const auto request = claim_request(round, 10);
        const auto claim = rig.win(request);
        auto word = operator_command(request, claim.fence, action, Force::yes);
        word.state = RecordState::processing;
        std::vector<Rig::Call> calls{command(request, claim, Complete{test::response(201, "by the owner")}), word};
        if (round % 2 == 0) {
            std::swap(calls.front(), calls.back());
        }
        const auto outcomes = rig.race_calls(calls);
        const bool operator_counts = count(outcomes, OperatorVerdict::applied) == 1;
        const auto owner = std::get<CommandReply>(outcomes[round % 2 == 0 ? 1 : 0]);
        const auto record = rig.find(request);
        const bool has_owners = record->response && record->response->body == "by the owner";
        right += std::uint64_t{
            (owner.verdict == (operator_counts ? CommandVerdict::fenced : CommandVerdict::applied)) &&
            (operator_counts || count(outcomes, OperatorVerdict::conflict) == 1) && has_owners != operator_counts &&
            (record->evidence == (operator_counts ? (action.index() == 0 ? released_by_operator : resolved_by_operator) : ""))};
    }
    CHECK(right == rounds);
}

TEST_CASE("an operator's resolution and a claim that reforwards race: the attempt stands, or the answer does") {
    Rig rig;
    std::uint64_t right = 0;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        const auto first = left_unknown(rig, round);
        auto request = claim_request(round, 100);
        request.on_unknown = UnknownPolicy::reforward;
        const auto resolve = operator_command(request, first.fence, ResolveCompleted{test::response(202, "by hand", 9)});
        std::vector<Rig::Call> calls{request, resolve};
        if (round % 2 == 0) {
            std::swap(calls.front(), calls.back());
        }
        const auto outcomes = rig.race_calls(calls);
        const bool attempted = claims_won(outcomes).size() == 1;
        const bool resolved = count(outcomes, OperatorVerdict::applied) == 1;
        const auto record = rig.find(request);
        right += std::uint64_t{attempted != resolved &&
                               to_text(record->state) == std::string_view(attempted ? "PROCESSING" : "COMPLETED")};
    }
    CHECK(right == rounds);
}

}  // namespace onceward::contract
