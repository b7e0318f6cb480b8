#include "store/memory/memory_shard.hpp"

#include "catch.hpp"
#include "onceward/store/store.hpp"
#include "record_builders.hpp"

#include <map>
#include <vector>

namespace onceward::store {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

const auto start = from_micros(1'700'000'000'000'000);
constexpr std::uint64_t roomy = 1'000'000'000;
constexpr std::size_t all = 1'000'000;

Claim win(MemoryShard& shard, const ClaimRequest& request, StoreTime now = start) {
    const auto result = shard.claim(request, now);
    REQUIRE(result.has_value());
    REQUIRE(std::holds_alternative<guard::Claimed>(result->reply));
    return std::get<guard::Claimed>(result->reply).claim;
}

void complete(MemoryShard& shard, const ClaimRequest& request, std::size_t body_size, StoreTime now = start) {
    const auto claim = win(shard, request, now);
    shard.apply(command(request, claim, Complete{test::response(200, std::string(body_size, 'x'))}), now);
}

}  // namespace

TEST_CASE("an answer is dropped at the end of retention and the record at the end of its tombstone, without a request") {
    MemoryShard shard(roomy);
    const auto request = claim_request(1, 10);
    complete(shard, request, 100'000);
    CHECK(shard.bytes() > 100'000);
    const auto retention_end = start + request.lifetimes.retention;
    shard.sweep(retention_end - microseconds{1}, all);
    CHECK(shard.bytes() > 100'000);
    shard.sweep(retention_end, all);
    CHECK(shard.bytes() < 2'000);
    CHECK(shard.size() == 1);
    const auto expired = shard.claim(claim_request(1, 11), retention_end);
    REQUIRE(expired.has_value());
    CHECK(std::get<Existing>(expired->reply).record.state == RecordState::expired);
    shard.sweep(retention_end + request.lifetimes.tombstone, all);
    CHECK(shard.size() == 0);
    CHECK(shard.bytes() == 0);
}

TEST_CASE("each other state is dropped at its end and not before") {
    MemoryShard shard(roomy);
    const auto request = claim_request(1, 10);
    const auto& times = request.lifetimes;
    const auto claim = win(shard, request);
    auto end = start + times.lease + times.unknown_retention + times.tombstone;
    SECTION("PROCESSING that nobody asked for") {}
    SECTION("FAILED") {
        shard.apply(command(request, claim, Fail{FailureKind::answered, "status:500"}), start);
        end = start + times.retention;
    }
    SECTION("UNKNOWN") {
        shard.apply(command(request, claim, MarkUnknown{"reset"}), start);
        end = start + times.unknown_retention + times.tombstone;
    }
    shard.sweep(end - microseconds{1}, all);
    CHECK(shard.size() == 1);
    shard.sweep(end, all);
    CHECK(shard.size() == 0);
}

TEST_CASE("a renewed execution is not swept at the end of an earlier lease") {
    MemoryShard shard(roomy);
    const auto request = claim_request(1, 10);
    const auto claim = win(shard, request);
    const auto& times = request.lifetimes;
    const auto first_end = start + times.lease + times.unknown_retention + times.tombstone;
    shard.apply(command(request, claim, Renew{}), first_end - seconds{1});
    shard.sweep(first_end + seconds{1}, all);
    REQUIRE(shard.size() == 1);
    const auto met = shard.claim(claim_request(1, 11), first_end + seconds{1});
    REQUIRE(met.has_value());
    CHECK(std::get<Existing>(met->reply).record.state == RecordState::processing);
    shard.sweep(first_end - seconds{1} + times.lease + times.unknown_retention + times.tombstone, all);
    CHECK(shard.size() == 0);
}

TEST_CASE("a record is looked for once, however often its end has moved") {
    MemoryShard shard(roomy);
    auto now = start;
    // A lease promises to keep a record for much longer than an answer is kept in the end.
    for (std::uint64_t n = 1; n <= 1'000; ++n) {
        const auto request = claim_request(n, n);
        const auto claim = win(shard, request, now);
        shard.apply(command(request, claim, Renew{}), now + microseconds{1});
        shard.apply(command(request, claim, Complete{test::response(200, "x")}), now + microseconds{2});
        REQUIRE(shard.size() == 1);
        REQUIRE(shard.planned() == 1);
        now += request.lifetimes.retention + request.lifetimes.tombstone + seconds{1};
        shard.sweep(now, all);
        REQUIRE(shard.planned() == 0);
    }
}

TEST_CASE("a sweep takes no more than it may and says that there is more") {
    MemoryShard shard(roomy);
    for (std::uint64_t id = 1; id <= 10; ++id) {
        complete(shard, claim_request(id, 100 + id), 0);
    }
    const auto late = start + std::chrono::hours{24 * 365};
    CHECK(shard.sweep(late, 4));
    CHECK(shard.size() == 6);
    CHECK_FALSE(shard.sweep(late, all));
    CHECK(shard.size() == 0);
}

TEST_CASE("a full shard refuses a new key and keeps every record") {
    MemoryShard shard(50'000);
    complete(shard, claim_request(1, 10), 40'000);
    const auto running = claim_request(2, 20);
    const auto claim = win(shard, running);
    // An execution that runs is recorded although that goes over the bound: its answer can't be had again.
    shard.apply(command(running, claim, Complete{test::response(200, std::string(40'000, 'y'))}), start);
    const auto refused = shard.claim(claim_request(3, 30), start);
    REQUIRE(refused.has_error());
    CHECK(refused.error() == StoreErrc::rejected);
    SECTION("duplicates are answered") {
        for (const std::uint64_t id : {std::uint64_t{1}, std::uint64_t{2}}) {
            const auto met = shard.claim(claim_request(id, 40), start);
            REQUIRE(met.has_value());
            CHECK(std::get<Existing>(met->reply).record.response->body.size() == 40'000);
        }
    }
    SECTION("what is dead makes room at once") {
        CHECK(shard.claim(claim_request(3, 31), start + running.lifetimes.retention).has_value());
    }
}

TEST_CASE("bytes in use go back to nothing whatever was written") {
    MemoryShard shard(roomy);
    for (std::uint64_t id = 1; id <= 50; ++id) {
        const auto request = claim_request(id, 100 + id);
        auto claim = win(shard, request);
        shard.apply(command(request, claim, Fail{FailureKind::answered, "status:500"}), start);
        complete(shard, claim_request(id, 200 + id), id * 100);
    }
    CHECK(shard.size() == 50);
    shard.sweep(start + std::chrono::hours{24 * 365}, all);
    CHECK(shard.size() == 0);
    CHECK(shard.bytes() == 0);
}

TEST_CASE("records are counted by state, whatever becomes of them") {
    MemoryShard shard(roomy);
    const auto count = [&shard](RecordState state) { return shard.counts()[static_cast<std::size_t>(state)]; };
    const auto requests = [] {
        std::vector<ClaimRequest> made;
        for (std::uint64_t id = 1; id <= 6; ++id) {
            made.push_back(claim_request(id, 10 * id));
        }
        return made;
    }();
    std::vector<Claim> claims;
    for (const auto& request : requests) {
        claims.push_back(win(shard, request));
    }
    CHECK(shard.counts() == RecordCounts{6, 0, 0, 0, 0});
    const auto settle = [&](std::size_t i, Action action) {
        shard.apply(command(requests[i], claims[i], std::move(action)), start);
    };
    settle(0, Complete{test::response()});
    settle(1, Complete{{204, {}, {}, false, {}}});
    settle(2, Fail{FailureKind::not_executed, "refused"});
    settle(3, MarkUnknown{"reset"});
    settle(3, MarkUnknown{"reset"});
    settle(4, Fail{FailureKind::answered, "status:500"});
    CHECK(shard.counts() == RecordCounts{1, 2, 2, 1, 0});
    // A retry executes again; a lease that is over is noticed by the claim that meets it.
    win(shard, claim_request(3, 31));
    shard.claim(claim_request(6, 61), start + requests[5].lifetimes.lease);
    CHECK(shard.counts() == RecordCounts{1, 2, 1, 2, 0});
    const auto& times = requests[0].lifetimes;
    shard.sweep(start + times.retention, all);
    CHECK(count(RecordState::completed) == 0);
    CHECK(count(RecordState::failed) == 0);
    CHECK(count(RecordState::expired) == 2);
    shard.sweep(start + times.lease + times.unknown_retention, all);
    CHECK(count(RecordState::unknown) == 0);
    CHECK(count(RecordState::expired) == 4);
    shard.sweep(start + std::chrono::hours{24 * 365}, all);
    CHECK(shard.size() == 0);
    CHECK(shard.counts() == RecordCounts{});
}

TEST_CASE("a step tells when an execution has ended") {
    MemoryShard shard(roomy);
    const auto request = claim_request(1, 10);
    const auto claim = win(shard, request);
    CHECK(shard.apply(command(request, claim, Renew{}), start).change == ShardChange::none);
    CHECK(shard.apply(command(request, claim, MarkUnknown{"reset"}), start).change == ShardChange::left_processing);
    CHECK(shard.apply(command(request, claim, MarkUnknown{"reset"}), start).change == ShardChange::none);
    SECTION("also when a duplicate finds its lease over") {
        win(shard, claim_request(2, 20));
        const auto met = shard.claim(claim_request(2, 21), start + seconds{15});
        REQUIRE(met.has_value());
        CHECK(met->change == ShardChange::left_processing);
    }
}

TEST_CASE("a list of a shard goes on where it stood, whatever came and went") {
    MemoryShard shard(roomy);
    constexpr std::uint64_t count = 3'000;
    for (std::uint64_t number = 1; number <= count; ++number) {
        win(shard, claim_request(number, 10));
    }
    RecordQuery query;
    query.limit = GENERATE(as<std::size_t>{}, 1, 64, 1'000);
    ListPlace place;
    std::map<RecordId, int> seen;
    std::uint64_t next = count;
    for (bool more = true; more;) {
        std::vector<ListedRecord> page;
        more = shard.list(query, start, place, page);
        REQUIRE(page.size() <= query.limit);
        for (const auto& listed : page) {
            ++seen[listed.id];
        }
        if (next < 2 * count) {
            win(shard, claim_request(++next, 10));
        }
    }
    CHECK(shard.size() == next);
    for (std::uint64_t number = 1; number <= count; ++number) {
        REQUIRE(seen[test::record_id(number)] == 1);
    }
}

TEST_CASE("a list looks at a bounded number of records at once") {
    MemoryShard shard(roomy);
    for (std::uint64_t number = 1; number <= 20'000; ++number) {
        win(shard, claim_request(number, 10));
    }
    RecordQuery query;
    query.state = RecordState::unknown;
    ListPlace place;
    std::vector<ListedRecord> page;
    std::size_t turns = 1;
    while (shard.list(query, start, place, page)) {
        ++turns;
    }
    CHECK(turns > 10);
    CHECK(page.empty());
}

}  // namespace onceward::store
