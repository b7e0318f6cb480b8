#include "record_script.hpp"
#include "stored_record.hpp"

#include <map>
#include <random>

namespace onceward::test {

namespace {

constexpr int sequences = 400;
constexpr int steps = 120;

bool equal(const RecordedResponse& a, const RecordedResponse& b) {
    return a.status == b.status && a.head == b.head && a.body == b.body && a.digest == b.digest;
}

/// What must hold between a record as it read before a step and as it reads after, whatever the step was (protocol section 14).
void check_step(const std::optional<Record>& before, const std::optional<Record>& after) {
    if (!before) {
        return;
    }
    REQUIRE(after);
    REQUIRE(after->fence >= before->fence);
    REQUIRE(after->attempt.value >= before->attempt.value);
    // One standing owner: another owner always means another, higher fence.
    if (after->owner != before->owner) {
        REQUIRE(after->fence > before->fence);
        REQUIRE((before->state == RecordState::failed || before->state == RecordState::unknown));
    }
    if (before->state == RecordState::completed) {
        REQUIRE(after->state == RecordState::completed);
        REQUIRE(equal(*before->response, *after->response));
    }
    if (before->may) {
        REQUIRE(after->may);
    }
    REQUIRE_FALSE((after->may && after->state == RecordState::failed));
}

void check_claim(const std::optional<Record>& before, const ClaimRequest& request, const ClaimReply& reply, Fence& highest) {
    const auto* claimed = std::get_if<Claimed>(&reply);
    if (claimed == nullptr) {
        return;
    }
    const bool again = before && before->owner == request.owner;
    REQUIRE((again ? claimed->claim.fence == highest : claimed->claim.fence > highest));
    highest = claimed->claim.fence;
    // Only what is absent, FAILED or, under reforward, UNKNOWN is claimed.
    if (before && !again) {
        const bool taken_over = before->state == RecordState::unknown && request.on_unknown == UnknownPolicy::reforward;
        REQUIRE((before->state == RecordState::failed || taken_over));
        REQUIRE((before->state != RecordState::unknown || claimed->claim.may));
    }
}

class Play {
public:
    explicit Play(std::uint64_t seed)
        : random_(seed), script_([this](std::uint64_t below) { return random_() % below; }, RecordScript::Range{1, 2, 100}) {}

    void step() {
        let_time_pass();
        const auto step = script_.next();
        if (const auto* request = std::get_if<ClaimRequest>(&step)) {
            auto& stored = at(request->id);
            const auto before = stored.read();
            const auto reply = stored.claim(*request);
            check_claim(before, *request, reply, fences_[request->id]);
            check_step(before, stored.read());
            script_.learn(*request, reply);
        } else {
            const auto& command = std::get<Command>(step);
            auto& stored = at(command.id);
            const auto before = stored.read();
            const auto reply = stored.apply(command);
            check_step(before, stored.read());
            if (before && before->owner != command.claim.owner && !std::holds_alternative<NoteBypassed>(command.action)) {
                REQUIRE(reply.verdict == CommandVerdict::fenced);
            }
            fences_[command.id] = std::max(fences_[command.id], stored.record ? stored.record->fence : Fence{});
        }
    }

private:
    StoredRecord& at(const RecordId& id) {
        auto& stored = records_[id];
        stored.now = now_;
        return stored;
    }

    /// Mostly instants, now and then past a short lease, rarely past every lease; never past a retention.
    void let_time_pass() {
        const auto die = random_() % 20;
        now_ += die == 0 ? microseconds{seconds{16}} : die < 3 ? microseconds{milliseconds{31}} : microseconds{random_() % 3};
    }

    std::mt19937_64 random_;
    RecordScript script_;
    StoreTime now_ = from_micros(1'700'000'000'000'000);
    std::map<RecordId, StoredRecord> records_;
    std::map<RecordId, Fence> fences_;
};

}  // namespace

TEST_CASE("whatever happens: fences rise, COMPLETED stays, one owner stands, a failure never frees what may have run") {
    for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
        Play play(seed);
        for (int i = 0; i < steps; ++i) {
            INFO("seed " << seed << ", step " << i);
            play.step();
        }
    }
}

TEST_CASE("PROCESSING never becomes absent without having read as UNKNOWN and EXPIRED for their times") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 2'000; ++i) {
        StoredRecord stored;
        auto request = claim_request(1, 10);
        const auto some = [&random] { return milliseconds{1 + random() % 100'000}; };
        request.lifetimes = {some(), some(), some(), some()};
        stored.win(request);
        const auto end = stored.record->lease_until + request.lifetimes.unknown_retention + request.lifetimes.tombstone;
        const auto at = stored.now + microseconds{random() % 400'000'000};
        const auto record = read_at(*stored.record, at, request.lifetimes);
        REQUIRE(record.has_value() == (at < end));
        if (record && at < stored.record->lease_until) {
            REQUIRE(record->state == RecordState::processing);
        } else if (record) {
            REQUIRE(record->state != RecordState::processing);
        }
    }
}

}  // namespace onceward::test
