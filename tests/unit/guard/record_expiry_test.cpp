#include "stored_record.hpp"

namespace onceward::test {

namespace {

const Lifetimes brief{seconds{10}, seconds{100}, seconds{1'000}, seconds{200}};
constexpr microseconds instant{1};

ClaimRequest brief_request(std::uint64_t owner) {
    auto request = claim_request(1, owner);
    request.lifetimes = brief;
    return request;
}

std::string read(const StoredRecord& stored, StoreTime at) {
    const auto record = read_at(*stored.record, at, brief);
    return record ? std::string(to_text(record->state)) : "absent";
}

}  // namespace

TEST_CASE("COMPLETED reads as EXPIRED at the end of retention and is absent at the end of the tombstone") {
    StoredRecord stored;
    const auto request = brief_request(10);
    stored.apply(command(request, stored.win(request), Complete{response()}));
    const auto end = stored.now + seconds{100};
    CHECK(read(stored, end - instant) == "COMPLETED");
    CHECK(read(stored, end) == "EXPIRED");
    CHECK(read(stored, end + seconds{1'000} - instant) == "EXPIRED");
    CHECK(read(stored, end + seconds{1'000}) == "absent");
    const auto tombstone = read_at(*stored.record, end, brief);
    REQUIRE(tombstone->response);
    CHECK(tombstone->response->status == 201);
    CHECK(tombstone->response->head.empty());
    CHECK(tombstone->response->body.empty());
}

TEST_CASE("FAILED is absent at the end of retention") {
    StoredRecord stored;
    const auto request = brief_request(10);
    stored.apply(command(request, stored.win(request), Fail{FailureKind::answered, "status:500"}));
    CHECK(read(stored, stored.now + seconds{100} - instant) == "FAILED");
    CHECK(read(stored, stored.now + seconds{100}) == "absent");
}

TEST_CASE("an expired lease reads as UNKNOWN, then EXPIRED, each from the end of the lease") {
    StoredRecord stored;
    stored.win(brief_request(10));
    const auto lease_end = stored.now + seconds{10};
    CHECK(read(stored, lease_end - instant) == "PROCESSING");
    CHECK(read(stored, lease_end) == "UNKNOWN");
    CHECK(read(stored, lease_end + seconds{200} - instant) == "UNKNOWN");
    CHECK(read(stored, lease_end + seconds{200}) == "EXPIRED");
    CHECK(read(stored, lease_end + seconds{1'200} - instant) == "EXPIRED");
    CHECK(read(stored, lease_end + seconds{1'200}) == "absent");
    CHECK(stored.record->forget_at == lease_end + seconds{1'200});
}

TEST_CASE("who meets an expired lease writes UNKNOWN, and the same times as if nobody had") {
    StoredRecord stored;
    stored.win(brief_request(10));
    const auto lease_end = stored.now + seconds{10};
    const auto later = GENERATE(as<seconds>{}, 0, 50, 250);
    stored.now = lease_end + later;
    stored.meet(brief_request(11));
    CHECK(stored.record->state == RecordState::unknown);
    CHECK(stored.record->evidence == "lease");
    CHECK(stored.record->keep_until == lease_end + seconds{200});
    CHECK(stored.record->forget_at == lease_end + seconds{1'200});
}

TEST_CASE("without a tombstone the end of retention is the end") {
    StoredRecord stored;
    auto request = brief_request(10);
    request.lifetimes.tombstone = milliseconds{0};
    stored.apply(command(request, stored.win(request), Complete{response()}));
    CHECK(read(stored, stored.now + seconds{100}) == "absent");
}

TEST_CASE("a renewal revives an expired lease that nobody noticed, and not one that somebody was told of") {
    StoredRecord stored;
    const auto request = brief_request(10);
    const auto claim = stored.win(request);
    stored.now += seconds{11};
    SECTION("nobody noticed") {
        CHECK(stored.apply(command(request, claim, Renew{})).verdict == CommandVerdict::applied);
        CHECK(read(stored, stored.now) == "PROCESSING");
        CHECK(stored.record->evidence.empty());
    }
    SECTION("somebody was told") {
        stored.meet(brief_request(11));
        const auto reply = stored.apply(command(request, claim, Renew{}));
        CHECK(reply.verdict == CommandVerdict::lapsed);
        CHECK(read(stored, stored.now) == "UNKNOWN");
    }
}

TEST_CASE("a late claim leaves an expired lease unnoticed") {
    StoredRecord stored;
    const auto request = brief_request(10);
    const auto claim = stored.win(request);
    stored.now += seconds{11};
    CHECK(std::holds_alternative<Late>(stored.claim(request)));
    CHECK(stored.apply(command(request, claim, Renew{})).verdict == CommandVerdict::applied);
}

TEST_CASE("a key that is free again starts anew, above every fence before") {
    StoredRecord stored;
    const auto request = brief_request(10);
    const auto first = stored.win(request);
    stored.apply(command(request, first, Complete{response()}));
    stored.now = stored.record->forget_at;
    const auto next = stored.win(brief_request(11));
    CHECK(next.attempt.value == 1);
    CHECK(next.operation_id == brief_request(11).operation_id);
    CHECK(next.fence > first.fence);
    CHECK(stored.record->last_owner == OwnerToken{});
    CHECK_FALSE(stored.record->response);
}

TEST_CASE("fences rise although the clock stands still, and follow it when it moves") {
    const auto now = from_micros(1'000'000);
    CHECK(next_fence({0}, now).value == 1'000'000);
    CHECK(next_fence({1'000'000}, now).value == 1'000'001);
    CHECK(next_fence({5'000'000}, now).value == 5'000'001);
}

}  // namespace onceward::test
