#include "record_invariants.hpp"
#include "stored_record.hpp"

#include <random>

namespace onceward::test {

namespace {
constexpr std::uint64_t sequences = 400;
constexpr int steps = 120;
}  // namespace

TEST_CASE("whatever happens: fences rise, COMPLETED stays, one owner stands, a failure never frees what may have run") {
    for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
        std::mt19937_64 random(seed);
        WatchedRecords records([&random](std::uint64_t below) { return random() % below; });
        for (int i = 0; i < steps; ++i) {
            INFO("seed " << seed << ", step " << i);
            const auto broken = records.step();
            REQUIRE(broken == "");
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
        const auto lease_end = stored.record->lease_until;
        const auto unknown_end = lease_end + request.lifetimes.unknown_retention;
        const auto at = stored.now + microseconds{random() % 400'000'000};
        const auto record = read_at(*stored.record, at, request.lifetimes);
        REQUIRE(record.has_value() == (at < unknown_end + request.lifetimes.tombstone));
        if (record) {
            const auto expected = at < lease_end     ? RecordState::processing
                                  : at < unknown_end ? RecordState::unknown
                                                     : RecordState::expired;
            REQUIRE(to_text(record->state) == to_text(expected));
        }
    }
}

}  // namespace onceward::test
