#include "stored_record.hpp"

#include <functional>
#include <vector>

namespace onceward::test {

namespace {

const Fail refused{FailureKind::not_executed, "refused"};
const Fail answered{FailureKind::answered, "status:500"};

OperatorReply operate(StoredRecord& stored, OperatorCommand command) {
    auto step = guard::operate(stored.record, command, stored.now);
    if (step.write) {
        stored.record = std::move(step.write);
    }
    return step.reply;
}

OperatorCommand word(const StoredRecord& stored, OperatorAction action, Force force = Force::no) {
    return operator_command(claim_request(1, 10), stored.record->fence, std::move(action), force);
}

void check(const OperatorReply& reply, OperatorVerdict verdict) {
    CHECK(to_text(reply.verdict) == to_text(verdict));
}

/// Each state that a record can read as.
struct Scene {
    const char* name;
    std::function<void(StoredRecord&)> set;
    RecordState state;
    bool needs_force;
};

const std::vector<Scene> scenes{
    {"a live lease", [](StoredRecord& s) { s.win(claim_request(1, 10)); }, RecordState::processing, true},
    {"a lease that is over",
     [](StoredRecord& s) {
         s.win(claim_request(1, 10));
         s.now += Lifetimes{}.lease;
     },
     RecordState::unknown, false},
    {"UNKNOWN", [](StoredRecord& s) { s.execute(MarkUnknown{"reset"}); }, RecordState::unknown, false},
    {"FAILED, not executed", [](StoredRecord& s) { s.execute(refused); }, RecordState::failed, false},
    {"FAILED, answered", [](StoredRecord& s) { s.execute(answered); }, RecordState::failed, false},
    {"COMPLETED", [](StoredRecord& s) { s.execute(Complete{response()}); }, RecordState::completed, true},
    {"EXPIRED, once UNKNOWN",
     [](StoredRecord& s) {
         s.execute(MarkUnknown{"reset"});
         s.now += Lifetimes{}.unknown_retention;
     },
     RecordState::expired, false},
    {"EXPIRED, once COMPLETED",
     [](StoredRecord& s) {
         s.execute(Complete{response()});
         s.now += Lifetimes{}.retention;
     },
     RecordState::expired, true},
};

const std::vector<OperatorAction> actions{Release{}, ResolveCompleted{response(202, "by hand", 9)}, ResolveFailed{}};

}  // namespace

TEST_CASE("an operator needs force against a live lease and against what was COMPLETED, for every action") {
    for (const auto& scene : scenes) {
        for (const auto& action : actions) {
            INFO(scene.name << ", action " << action.index());
            StoredRecord stored;
            scene.set(stored);
            const auto held = *stored.record;
            const auto reply = operate(stored, word(stored, action));
            check(reply, scene.needs_force ? OperatorVerdict::needs_force : OperatorVerdict::applied);
            REQUIRE(reply.before);
            CHECK(to_text(reply.before->state) == to_text(scene.state));
            CHECK(reply.after.has_value() != scene.needs_force);
            if (scene.needs_force) {
                CHECK(stored.record->owner == held.owner);
                CHECK(to_text(stored.record->state) == to_text(held.state));
                check(operate(stored, word(stored, action, Force::yes)), OperatorVerdict::applied);
            }
        }
    }
}

TEST_CASE("an operator's word is on the claim that was seen") {
    for (const auto& scene : scenes) {
        for (const auto& action : actions) {
            INFO(scene.name << ", action " << action.index());
            StoredRecord stored;
            scene.set(stored);
            for (const auto fence : {stored.record->fence.value - 1, stored.record->fence.value + 1}) {
                const auto step = guard::operate(stored.record,
                                                 operator_command(claim_request(1, 10), {fence}, action, Force::yes), stored.now);
                check(step.reply, OperatorVerdict::conflict);
                CHECK_FALSE(step.write);
                CHECK(step.reply.before->fence == stored.record->fence);
            }
        }
    }
}

TEST_CASE("force for a live lease does not reach a record that was completed meanwhile") {
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto claim = stored.win(request);
    auto release = word(stored, Release{}, Force::yes);
    release.state = RecordState::processing;
    stored.apply(command(request, claim, Complete{response()}));
    check(operate(stored, release), OperatorVerdict::conflict);
    CHECK(stored.read()->state == RecordState::completed);
}

TEST_CASE("there is nothing to say about a record that is absent, or reads so") {
    StoredRecord stored;
    SECTION("never there") {}
    SECTION("FAILED past its retention") {
        stored.execute(refused);
        stored.now += Lifetimes{}.retention;
    }
    SECTION("past its tombstone") {
        stored.execute(Complete{response()});
        stored.now += Lifetimes{}.retention + Lifetimes{}.tombstone;
    }
    const auto fence = stored.record ? stored.record->fence : Fence{1};
    for (const auto& action : actions) {
        const auto step =
            guard::operate(stored.record, operator_command(claim_request(1, 10), fence, action, Force::yes), stored.now);
        check(step.reply, OperatorVerdict::absent);
        CHECK_FALSE(step.write);
        CHECK_FALSE(step.reply.before);
    }
}

TEST_CASE("released: the same request executes as the next attempt of the same operation, which may have run") {
    for (const auto& scene : scenes) {
        if (scene.state == RecordState::failed) {
            continue;
        }
        INFO(scene.name);
        StoredRecord stored;
        scene.set(stored);
        const auto held = *stored.record;
        const auto reply = operate(stored, word(stored, Release{}, Force::yes));
        check(reply, OperatorVerdict::applied);
        CHECK(reply.after->state == RecordState::failed);
        CHECK(reply.after->evidence == "released by operator");
        CHECK(reply.after->may);
        CHECK(reply.after->fence == held.fence);
        CHECK_FALSE(reply.after->response);
        CHECK(stored.record->updated_at == stored.now);
        CHECK(stored.record->keep_until == stored.now + Lifetimes{}.retention);
        CHECK(stored.meet(claim_request(1, 12, identity(2))).relation == Relation::differs);
        const auto next = stored.win(claim_request(1, 11));
        CHECK(next.attempt.value == held.attempt.value + 1);
        CHECK(next.operation_id == held.operation_id);
        CHECK(next.fence > held.fence);
        CHECK(next.may);
        CHECK(stored.apply(command(claim_request(1, 11), next, refused)).state == RecordState::unknown);
    }
}

TEST_CASE("releasing what is FAILED changes nothing") {
    const auto failure = GENERATE(as<Fail>{}, refused, answered);
    StoredRecord stored;
    stored.execute(failure);
    const auto step = guard::operate(stored.record, word(stored, Release{}), stored.now);
    check(step.reply, OperatorVerdict::applied);
    CHECK_FALSE(step.write);
    CHECK(step.reply.after->evidence == failure.evidence);
    CHECK_FALSE(step.reply.after->may);
}

TEST_CASE("resolved as completed: later requests get that answer, for its own retention") {
    for (const auto& scene : scenes) {
        INFO(scene.name);
        StoredRecord stored;
        scene.set(stored);
        stored.record->may = scene.state == RecordState::unknown;
        const auto reply = operate(stored, word(stored, ResolveCompleted{response(202, "by hand", 9)}, Force::yes));
        check(reply, OperatorVerdict::applied);
        CHECK(reply.after->response->status == 202);
        CHECK(reply.after->response->body.empty());
        CHECK(reply.after->evidence == "resolved by operator");
        CHECK_FALSE(reply.after->may);
        CHECK(stored.record->keep_until == stored.now + Lifetimes{}.retention);
        CHECK(stored.record->forget_at == stored.now + Lifetimes{}.retention + Lifetimes{}.tombstone);
        const auto existing = stored.meet(claim_request(1, 11));
        REQUIRE(existing.record.response);
        CHECK(existing.record.response->body == "by hand");
        CHECK(existing.record.response->head == response().head);
    }
}

TEST_CASE("resolved as failed: nothing ran, whatever was suspected") {
    for (const auto& scene : scenes) {
        INFO(scene.name);
        StoredRecord stored;
        scene.set(stored);
        stored.record->may = stored.record->state != RecordState::failed;
        const auto operation_id = stored.record->operation_id;
        check(operate(stored, word(stored, ResolveFailed{}, Force::yes)), OperatorVerdict::applied);
        CHECK(stored.record->failure == FailureKind::not_executed);
        CHECK_FALSE(stored.record->may);
        auto other = stored;
        CHECK(other.win(claim_request(1, 12, identity(2))).operation_id == claim_request(1, 12).operation_id);
        const auto next = stored.win(claim_request(1, 11));
        CHECK(next.operation_id == operation_id);
        CHECK_FALSE(next.may);
        CHECK(stored.apply(command(claim_request(1, 11), next, refused)).state == RecordState::failed);
    }
}

TEST_CASE("resolving a released record as failed clears what was suspected of it") {
    StoredRecord stored;
    stored.execute(MarkUnknown{"reset"});
    operate(stored, word(stored, Release{}));
    REQUIRE(stored.record->may);
    check(operate(stored, word(stored, ResolveFailed{})), OperatorVerdict::applied);
    CHECK_FALSE(stored.win(claim_request(1, 11)).may);
}

TEST_CASE("an owner that still runs is fenced by an operator's word, and its claim sent again is late") {
    const auto action = GENERATE(from_range(actions));
    StoredRecord stored;
    const auto request = claim_request(1, 10);
    const auto claim = stored.win(request);
    operate(stored, word(stored, action, Force::yes));
    const auto held = *stored.record;
    for (const auto& late : std::vector<Action>{Renew{}, Complete{response(202, "by hand", 9)}, refused, MarkUnknown{"cut"}}) {
        CHECK(stored.apply(command(request, claim, late)).verdict == CommandVerdict::fenced);
    }
    CHECK(std::holds_alternative<Late>(stored.claim(request)));
    CHECK(stored.record->updated_at == held.updated_at);
    CHECK(stored.record->last_owner == request.owner);
}

TEST_CASE("an operator's word sent again is applied and writes nothing") {
    const auto action = GENERATE(from_range(actions));
    StoredRecord stored;
    stored.execute(MarkUnknown{"reset"});
    auto command = word(stored, action);
    command.state = RecordState::unknown;
    check(operate(stored, command), OperatorVerdict::applied);
    stored.now += seconds{1};
    const auto step = guard::operate(stored.record, command, stored.now);
    check(step.reply, OperatorVerdict::applied);
    CHECK_FALSE(step.write);
}

TEST_CASE("a bypassed execution after a release may be the second one") {
    StoredRecord stored;
    stored.execute(MarkUnknown{"reset"});
    operate(stored, word(stored, Release{}));
    const auto request = claim_request(1, 20);
    stored.apply(command(request, Claim{request.owner, {}, {}, request.operation_id, false}, NoteBypassed{}));
    CHECK(stored.record->state == RecordState::unknown);
    CHECK(stored.record->may);
}

TEST_CASE("a record reads by the lifetimes that it was written with where no others are at hand") {
    StoredRecord stored;
    auto request = claim_request(1, 10);
    request.lifetimes = {seconds{10}, seconds{100}, seconds{1'000}, seconds{200}};
    stored.win(request);
    struct Row {
        seconds after;
        std::string_view state;
    };
    const auto row = GENERATE(values<Row>({{seconds{0}, "PROCESSING"},
                                           {seconds{9}, "PROCESSING"},
                                           {seconds{10}, "UNKNOWN"},
                                           {seconds{209}, "UNKNOWN"},
                                           {seconds{210}, "EXPIRED"},
                                           {seconds{1'209}, "EXPIRED"},
                                           {seconds{1'210}, "absent"}}));
    INFO(row.after.count() << " s after the claim");
    const auto record = read_at(*stored.record, stored.now + row.after);
    CHECK((record ? to_text(record->state) : "absent") == row.state);
    if (record && record->state != RecordState::processing) {
        CHECK(record->evidence == "lease");
    }
}

TEST_CASE("the ends that a record was written with count to the microsecond") {
    Record record;
    record.lease_until = from_micros(300);
    record.keep_until = from_micros(400);
    record.forget_at = from_micros(500);
    CHECK(read_at(record, from_micros(299))->state == RecordState::processing);
    CHECK(read_at(record, from_micros(399))->state == RecordState::unknown);
    CHECK(read_at(record, from_micros(499))->state == RecordState::expired);
    CHECK_FALSE(read_at(record, from_micros(500)));
}

}  // namespace onceward::test
