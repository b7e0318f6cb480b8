#pragma once

#include "onceward/guard/record_machine.hpp"
#include "record_builders.hpp"
#include "record_script.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace onceward::test {

/// A few keys on a clock that a script moves, watched for what must hold whatever happens (protocol section 14). `step` gives the
/// invariant that was broken; empty when all held.
class WatchedRecords {
public:
    explicit WatchedRecords(RecordScript::Choose choose)
        : choose_(choose), script_(std::move(choose), RecordScript::Range{1, 2, 100}) {}

    std::string_view step() {
        let_time_pass();
        const auto step = script_.next();
        if (const auto* request = std::get_if<guard::ClaimRequest>(&step)) {
            return claim(*request);
        }
        if (const auto* word = std::get_if<guard::OperatorCommand>(&step)) {
            return operate(*word);
        }
        return apply(std::get<guard::Command>(step));
    }

private:
    using Stored = std::optional<guard::Record>;

    std::string_view claim(const guard::ClaimRequest& request) {
        auto& stored = records_[request.id];
        const auto before = read(stored);
        auto step = guard::claim(stored, request, now_);
        if (step.write) {
            stored = std::move(step.write);
        }
        script_.learn(request, step.reply);
        const auto broken = broken_by_claim(before, request, step.reply);
        return broken.empty() ? broken_by_step(before, read(stored)) : broken;
    }

    std::string_view apply(const guard::Command& command) {
        auto& stored = records_[command.id];
        const auto before = read(stored);
        auto step = guard::apply(stored, command, now_);
        if (step.write) {
            stored = std::move(step.write);
        }
        auto& highest = fences_[command.id];
        highest = std::max(highest, stored ? stored->fence : Fence{});
        const bool stranger = before && before->owner != command.claim.owner;
        if (stranger && !std::holds_alternative<guard::NoteBypassed>(command.action) &&
            (step.reply.verdict != guard::CommandVerdict::fenced || step.write)) {
            return "only the owner moves a record";
        }
        return broken_by_step(before, read(stored));
    }

    std::string_view operate(const guard::OperatorCommand& command) {
        auto& stored = records_[command.id];
        const auto before = read(stored);
        auto step = guard::operate(stored, command, now_);
        if (!step.write) {
            return {};
        }
        stored = std::move(step.write);
        return broken_by_operator(*before, *read(stored), command);
    }

    static std::string_view broken_by_operator(const guard::Record& before, const guard::Record& after,
                                               const guard::OperatorCommand& command) {
        using guard::RecordState;
        const bool settled = before.state == RecordState::processing || before.state == RecordState::completed;
        if (settled && command.force == guard::Force::no) {
            return "an operator needs force against a live lease and a COMPLETED record";
        }
        if (before.fence != command.fence) {
            return "an operator changes only the claim that was seen";
        }
        if (after.fence != before.fence || after.attempt != before.attempt || after.operation_id != before.operation_id) {
            return "an operator claims nothing";
        }
        if (after.owner != OwnerToken{}) {
            return "an operator's word leaves no owner";
        }
        const bool released = std::holds_alternative<guard::Release>(command.action);
        return after.may == released ? "" : "a released record may have run, a resolved one has not or has";
    }

    [[nodiscard]] Stored read(const Stored& stored) const {
        return stored ? guard::read_at(*stored, now_, guard::Lifetimes{}) : std::nullopt;
    }

    static std::string_view broken_by_step(const Stored& before, const Stored& after) {
        using guard::RecordState;
        if (!before) {
            return {};
        }
        if (!after) {
            return "a record does not vanish before its time";
        }
        if (after->fence < before->fence || after->attempt < before->attempt) {
            return "fences and attempts never go back";
        }
        const bool free = before->state == RecordState::failed || before->state == RecordState::unknown;
        if (after->owner != before->owner && (!(after->fence > before->fence) || !free)) {
            return "one owner stands at a time, the next under a higher fence";
        }
        if (before->state == RecordState::completed && !(after->state == RecordState::completed && equal(*before, *after))) {
            return "COMPLETED never changes while it lives";
        }
        if (before->may && !after->may) {
            return "may stays once it is set";
        }
        if (after->may && after->state == RecordState::failed && after->evidence != guard::released_by_operator) {
            return "a failure never frees what may have run";
        }
        return {};
    }

    std::string_view broken_by_claim(const Stored& before, const guard::ClaimRequest& request, const guard::ClaimReply& reply) {
        using guard::RecordState;
        const auto* claimed = std::get_if<guard::Claimed>(&reply);
        if (claimed == nullptr) {
            return {};
        }
        const auto highest = std::exchange(fences_[request.id], claimed->claim.fence);
        if (before && before->owner == request.owner) {
            return claimed->claim.fence == highest ? "" : "a claim sent again is the same claim";
        }
        if (claimed->claim.fence <= highest) {
            return "fences strictly rise";
        }
        if (!before || before->state == RecordState::failed) {
            return {};
        }
        const bool reforwards = before->state == RecordState::unknown && request.on_unknown == guard::UnknownPolicy::reforward;
        return reforwards && claimed->claim.may ? "" : "only what is absent, FAILED or reforwarded is claimed";
    }

    static bool equal(const guard::Record& a, const guard::Record& b) {
        return a.response && b.response && a.response->status == b.response->status && a.response->head == b.response->head &&
               a.response->body == b.response->body && a.response->digest == b.response->digest;
    }

    /// Mostly instants, now and then past a short lease, rarely past every lease; never past a retention.
    void let_time_pass() {
        const auto die = choose_(20);
        now_ += die == 0 ? microseconds{seconds{16}} : die < 3 ? microseconds{RecordScript::short_lease} : microseconds{die % 3};
    }

    RecordScript::Choose choose_;
    RecordScript script_;
    StoreTime now_ = from_micros(1'700'000'000'000'000);
    std::map<RecordId, Stored> records_;
    std::map<RecordId, Fence> fences_;
};

}  // namespace onceward::test
