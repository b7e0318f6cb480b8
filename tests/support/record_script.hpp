#pragma once

#include "onceward/guard/operator_command.hpp"
#include "record_builders.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace onceward::test {

/// Plays a handful of owners on a handful of keys: new claims, claims sent again, commands in and out of turn, an operator's
/// word. What happens next comes from `choose`, which gives a number below its argument: random bits in tests, input bytes under
/// the fuzzer.
class RecordScript {
public:
    using Choose = std::function<std::uint64_t(std::uint64_t below)>;
    using Step = std::variant<guard::ClaimRequest, guard::Command, guard::OperatorCommand>;

    struct Range {
        std::uint64_t first_id = 1;
        std::uint64_t ids = 3;
        std::uint64_t first_owner = 100;
    };

    RecordScript(Choose choose, Range range) : choose_(std::move(choose)), range_(range), next_owner_(range.first_owner) {}

    Step next() {
        if (known_.empty() || choose_(10) < 4) {
            return remember(new_claim());
        }
        const auto& known = known_[choose_(known_.size())];
        if (!known.claim || choose_(4) == 0) {
            return known.request;
        }
        if (choose_(10) == 0) {
            return operator_command(known);
        }
        return command(known.request, *known.claim, action(known));
    }

    /// What came of a claim: its owner may send commands from now on.
    void learn(const guard::ClaimRequest& request, const guard::ClaimReply& reply) {
        const auto* claimed = std::get_if<guard::Claimed>(&reply);
        const auto known =
            std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.request.owner == request.owner; });
        if (claimed != nullptr && known != known_.end()) {
            known->claim = claimed->claim;
        }
    }

private:
    /// As many owners as a key's history needs to be told apart; the oldest is forgotten.
    static constexpr std::size_t known_max = 8;

    struct Known {
        guard::ClaimRequest request;
        std::optional<guard::Claim> claim;
    };

    /// `usual` mostly, else another small number.
    std::uint64_t mostly(std::uint64_t usual) { return choose_(5) == 0 ? usual + 1 : usual; }

    guard::ClaimRequest new_claim() {
        const auto who = identity(mostly(1), mostly(1), mostly(1));
        auto request = claim_request(range_.first_id + choose_(range_.ids), next_owner_++, who);
        request.on_unknown = choose_(3) == 0 ? guard::UnknownPolicy::reforward : guard::UnknownPolicy::hold;
        if (choose_(8) == 0) {
            request.lifetimes.lease = short_lease;
        }
        return request;
    }

    guard::ClaimRequest remember(guard::ClaimRequest request) {
        if (known_.size() == known_max) {
            known_.erase(known_.begin());
        }
        known_.push_back({request, std::nullopt});
        return request;
    }

    guard::Action action(const Known& known) {
        switch (choose_(8)) {
            case 0:
            case 1:
                return guard::Renew{};
            case 2:
                return guard::Complete{
                    response(200 + static_cast<int>(mostly(1)), "by attempt " + std::to_string(known.claim->attempt.value))};
            case 3:
                return guard::Fail{guard::FailureKind::not_executed, "refused"};
            case 4:
                return guard::Fail{guard::FailureKind::answered, "status:500"};
            case 5:
            case 6:
                return guard::MarkUnknown{choose_(2) == 0 ? "reset" : "cut"};
            default:
                return guard::NoteBypassed{};
        }
    }

    /// Of somebody who mostly looked at the record that the claim made.
    guard::OperatorCommand operator_command(const Known& known) {
        auto made =
            test::operator_command(known.request, {known.claim->fence.value + (choose_(5) == 0 ? 1 : 0)}, operator_action());
        made.force = choose_(2) == 0 ? guard::Force::yes : guard::Force::no;
        if (choose_(3) == 0) {
            made.state = choose_(2) == 0 ? guard::RecordState::unknown : guard::RecordState::processing;
        }
        return made;
    }

    guard::OperatorAction operator_action() {
        switch (choose_(4)) {
            case 0:
                return guard::ResolveCompleted{response(200 + static_cast<int>(mostly(1)), "by an operator")};
            case 1:
                return guard::ResolveFailed{};
            default:
                return guard::Release{};
        }
    }

    Choose choose_;
    Range range_;
    std::uint64_t next_owner_;
    std::vector<Known> known_;

public:
    /// The lease of some claims: to be run out by whoever plays the script.
    static constexpr milliseconds short_lease{30};
};

}  // namespace onceward::test
