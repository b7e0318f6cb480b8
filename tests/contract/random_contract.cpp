#include "catch.hpp"
#include "onceward/guard/record_machine.hpp"
#include "record_script.hpp"
#include "rig.hpp"

#include <cstdlib>
#include <random>

namespace onceward::contract {

using namespace guard;
using test::RecordScript;

namespace {

constexpr std::uint64_t default_seed = 20'240'101;
constexpr int sequences = 3;
constexpr int steps = 250;

std::uint64_t seed() {
    const char* const given = std::getenv("ONCEWARD_SEED");
    return given == nullptr ? default_seed : std::strtoull(given, nullptr, 10);
}

/// What the record machine says a store must hold, followed step by step. Fences come from the store's clock, so they are taken
/// over from its replies and only compared with what came before.
class Model {
public:
    explicit Model(Rig& rig) : rig_(rig) {}

    void check_claim(const ClaimRequest& request, const ClaimReply& actual) {
        auto& held = records_[request.id];
        auto step = guard::claim(held.record, request, rig_.now());
        REQUIRE(actual.index() == step.reply.index());
        const auto previous = held.record ? held.record->fence : Fence{};
        REQUIRE(static_cast<int>(unknown_change(actual)) == static_cast<int>(unknown_change(step.reply)));
        if (step.write) {
            held.record = std::move(*step.write);
        }
        if (const auto* claimed = std::get_if<Claimed>(&actual)) {
            check_claimed(held, claimed->claim, std::get<Claimed>(step.reply).claim, previous);
        } else if (const auto* existing = std::get_if<Existing>(&actual)) {
            check_existing(held, *existing, std::get<Existing>(step.reply));
        }
    }

    void check_command(const Command& command, const CommandReply& actual) {
        auto& held = records_[command.id];
        auto step = guard::apply(held.record, command, rig_.now());
        REQUIRE(static_cast<int>(actual.verdict) == static_cast<int>(step.reply.verdict));
        REQUIRE(static_cast<int>(actual.unknown) == static_cast<int>(step.reply.unknown));
        if (actual.verdict != CommandVerdict::fenced) {
            REQUIRE(to_text(actual.state) == to_text(step.reply.state));
            REQUIRE(actual.may == step.reply.may);
        }
        if (step.write) {
            held.fence_known = step.write->evidence != "bypassed";
            held.record = std::move(*step.write);
        }
    }

    void check_operator(const OperatorCommand& command, const OperatorReply& actual) {
        auto& held = records_[command.id];
        if (actual.before && held.record && !held.fence_known) {
            held.record->fence = actual.before->fence;
            held.fence_known = true;
        }
        auto step = guard::operate(held.record, command, rig_.now());
        REQUIRE(to_text(actual.verdict) == to_text(step.reply.verdict));
        REQUIRE(static_cast<int>(actual.unknown) == static_cast<int>(step.reply.unknown));
        check_shown(actual.before, step.reply.before);
        check_shown(actual.after, step.reply.after);
        if (step.write) {
            held.record = std::move(*step.write);
        }
    }

    /// How the record reads, and that it is listed so.
    void check_look(const ClaimRequest& request) {
        const auto& held = records_[request.id];
        const auto expected = held.record ? read_at(*held.record, rig_.now()) : std::nullopt;
        auto actual = rig_.find(request, 1);
        if (actual && expected && !held.fence_known) {
            actual->fence = expected->fence;
        }
        check_shown(actual, expected);
        if (expected && expected->response) {
            REQUIRE(actual->response->head == expected->response->head);
            REQUIRE(actual->response->body == expected->response->body);
        }
    }

    /// Each record is listed as it reads, and no other is.
    void check_list(const std::map<RecordId, store::ListedRecord>& listed) {
        std::size_t count = 0;
        for (const auto& [id, held] : records_) {
            const auto expected = held.record ? read_at(*held.record, rig_.now()) : std::nullopt;
            count += std::size_t{expected.has_value()};
            const auto place = listed.find(id);
            REQUIRE((place != listed.end()) == expected.has_value());
            if (expected) {
                REQUIRE(to_text(place->second.record->state) == to_text(expected->state));
                REQUIRE(place->second.record->attempt.value == expected->attempt.value);
            }
        }
        REQUIRE(listed.size() >= count);
    }

    /// Lets a short lease run out, so that the two clocks can't disagree about it.
    void settle(const RecordId& id) {
        const auto& record = records_[id].record;
        const auto now = rig_.now();
        if (record && record->state == RecordState::processing && record->lease_until < now + seconds{1}) {
            rig_.wait_past(std::max(now, record->lease_until) + RecordScript::short_lease);
        }
    }

private:
    struct Held {
        std::optional<Record> record;
        bool fence_known = true;
    };

    static void check_claimed(Held& held, const Claim& actual, const Claim& expected, Fence previous) {
        REQUIRE(actual.owner == expected.owner);
        REQUIRE(actual.attempt.value == expected.attempt.value);
        REQUIRE(actual.operation_id.value == expected.operation_id.value);
        REQUIRE(actual.may == expected.may);
        const bool again = held.fence_known && actual.fence == previous;
        REQUIRE((again || actual.fence > previous));
        held.record->fence = actual.fence;
        held.fence_known = true;
    }

    static void check_existing(Held& held, const Existing& actual, const Existing& expected) {
        REQUIRE(to_text(actual.record.state) == to_text(expected.record.state));
        REQUIRE(actual.relation == expected.relation);
        REQUIRE(actual.caller_same == expected.caller_same);
        check_record(actual.record, expected.record);
        if (held.fence_known) {
            REQUIRE(actual.record.fence.value == expected.record.fence.value);
        }
        held.record->fence = actual.record.fence;
        held.fence_known = true;
    }

    /// What an operator is shown of a record.
    static void check_shown(const std::optional<Record>& actual, const std::optional<Record>& expected) {
        REQUIRE(actual.has_value() == expected.has_value());
        if (!expected) {
            return;
        }
        REQUIRE(to_text(actual->state) == to_text(expected->state));
        REQUIRE(actual->fence.value == expected->fence.value);
        REQUIRE(actual->evidence == expected->evidence);
        REQUIRE(actual->owner == expected->owner);
        REQUIRE(actual->last_owner == expected->last_owner);
        REQUIRE(actual->attempt.value == expected->attempt.value);
        REQUIRE(actual->operation_id.value == expected->operation_id.value);
        REQUIRE(actual->may == expected->may);
        REQUIRE(actual->identity.fingerprint == expected->identity.fingerprint);
        if (expected->state == RecordState::failed) {
            REQUIRE(to_text(actual->failure) == to_text(expected->failure));
        }
        REQUIRE(actual->response.has_value() == expected->response.has_value());
        if (expected->response) {
            REQUIRE(actual->response->status == expected->response->status);
            REQUIRE(actual->response->digest == expected->response->digest);
        }
    }

    static void check_record(const Record& actual, const Record& expected) {
        REQUIRE(actual.owner == expected.owner);
        REQUIRE(actual.last_owner == expected.last_owner);
        REQUIRE(actual.attempt.value == expected.attempt.value);
        REQUIRE(actual.operation_id.value == expected.operation_id.value);
        REQUIRE(actual.route == expected.route);
        REQUIRE(actual.may == expected.may);
        // A replay does not say who resolved the record.
        REQUIRE((actual.evidence == expected.evidence || expected.state == RecordState::completed));
        REQUIRE(actual.identity.version == expected.identity.version);
        REQUIRE(actual.identity.fingerprint == expected.identity.fingerprint);
        REQUIRE(actual.identity.caller == expected.identity.caller);
        if (expected.state == RecordState::failed) {
            REQUIRE(to_text(actual.failure) == to_text(expected.failure));
        }
        REQUIRE(actual.response.has_value() == expected.response.has_value());
        if (expected.response) {
            REQUIRE(actual.response->status == expected.response->status);
            REQUIRE(actual.response->body == expected.response->body);
        }
    }

    Rig& rig_;
    std::map<RecordId, Held> records_;
};

void play(Rig& rig, std::uint64_t sequence_seed, std::uint64_t number) {
    std::mt19937_64 random(sequence_seed);
    const auto choose = [&random](std::uint64_t below) { return random() % below; };
    RecordScript script(choose, {number * 100, 3, number * 10'000});
    Model model(rig);
    for (int i = 0; i < steps; ++i) {
        INFO("seed " << sequence_seed << ", step " << i);
        const auto loop = choose(Rig::loop_count);
        const auto step = script.next();
        if (const auto* request = std::get_if<ClaimRequest>(&step)) {
            INFO("claim on " << int{request->id.bytes[0]} << " by owner " << request->operation_id.value - 1'000'000);
            const auto reply = rig.claim(*request, loop);
            model.check_claim(*request, reply);
            script.learn(*request, reply);
            model.settle(request->id);
            if (choose(4) == 0) {
                model.check_look(*request);
            }
        } else if (const auto* word = std::get_if<OperatorCommand>(&step)) {
            INFO("operator's action " << word->action.index() << " on " << int{word->id.bytes[0]} << " with fence "
                                      << word->fence.value);
            model.check_operator(*word, rig.operate(*word, loop));
        } else {
            const auto& command = std::get<Command>(step);
            INFO("action " << command.action.index() << " on " << int{command.id.bytes[0]} << " by attempt "
                           << command.claim.attempt.value);
            model.check_command(command, rig.apply(command, loop));
            model.settle(command.id);
        }
    }
    store::RecordQuery query;
    query.limit = 2;
    model.check_list(rig.list_all(query));
}

}  // namespace

TEST_CASE("a store does what the record machine does, step by step") {
    Rig rig;
    const auto first = seed();
    WARN("seed " << first << " (ONCEWARD_SEED)");
    for (std::uint64_t i = 0; i < sequences; ++i) {
        play(rig, first + i, i + 1);
    }
}

}  // namespace onceward::contract
