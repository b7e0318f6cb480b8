#pragma once

#include "catch.hpp"
#include "onceward/guard/record_machine.hpp"
#include "record_builders.hpp"

namespace onceward::test {

using namespace guard;

/// One key of a store whose clock the test moves: the record machine over a variable.
struct StoredRecord {
    std::optional<Record> record;
    StoreTime now = from_micros(1'700'000'000'000'000);

    ClaimReply claim(const ClaimRequest& request) {
        auto step = guard::claim(record, request, now);
        if (step.write) {
            record = std::move(step.write);
        }
        return step.reply;
    }
    CommandReply apply(const Command& command) {
        auto step = guard::apply(record, command, now);
        if (step.write) {
            record = std::move(step.write);
        }
        return step.reply;
    }
    /// A claim that must win.
    Claim win(const ClaimRequest& request) {
        const auto reply = claim(request);
        REQUIRE(std::holds_alternative<Claimed>(reply));
        return std::get<Claimed>(reply).claim;
    }
    /// A claim that must meet the record.
    Existing meet(const ClaimRequest& request) {
        const auto reply = claim(request);
        REQUIRE(std::holds_alternative<Existing>(reply));
        return std::get<Existing>(reply);
    }
    /// Owner 10 executes request 1 and ends as `action` says.
    Claim execute(const Action& action) {
        const auto request = claim_request(1, 10);
        const auto claim = win(request);
        REQUIRE(apply(command(request, claim, action)).verdict == CommandVerdict::applied);
        return claim;
    }
    /// How the record reads now.
    [[nodiscard]] std::optional<Record> read() const { return record ? read_at(*record, now, Lifetimes{}) : std::nullopt; }
};

}  // namespace onceward::test
