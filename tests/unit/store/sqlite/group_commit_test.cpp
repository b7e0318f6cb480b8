#include "catch.hpp"
#include "store_process.hpp"

#include <barrier>

using namespace onceward;
using namespace onceward::test;

TEST_CASE("operations that wait together are committed together") {
    const TemporaryFolder folder;
    store::SqliteOptions options;
    options.path = folder.file("records.db");
    options.busy_timeout = seconds{5};
    StoreProcess process{options};
    constexpr std::uint64_t count = 200;
    std::vector<guard::ClaimRequest> requests;
    for (std::uint64_t i = 0; i < count; ++i) {
        requests.push_back(claim_request(i + 1, i + 1));
    }

    // While another program has the file, all of them queue up behind one attempt.
    PlainConnection plain{options.path};
    plain.execute("BEGIN IMMEDIATE");
    const auto before = process.counts();
    std::vector<std::future<StoreProcess::ClaimResult>> replies;
    for (const auto& request : requests) {
        replies.push_back(process.start_claim(request));
    }
    plain.execute("COMMIT");

    for (auto& reply : replies) {
        const auto result = reply.get();
        REQUIRE(result.has_value());
        CHECK(std::holds_alternative<guard::Claimed>(*result));
    }
    const auto after = process.counts();
    CHECK(after.operations - before.operations == count);
    CHECK(after.commits - before.commits <= count / 10);
    CHECK(plain.number("SELECT count(*) FROM onceward WHERE state = 'PROCESSING'") == static_cast<std::int64_t>(count));
}

TEST_CASE("duplicates that change nothing cost no write") {
    const TemporaryFolder folder;
    store::SqliteOptions options;
    options.path = folder.file("records.db");
    StoreProcess process{options};
    process.win(claim_request(1, 1));
    const auto before = process.counts();
    for (std::uint64_t i = 2; i < 12; ++i) {
        REQUIRE(process.claim(claim_request(1, i)).has_value());
    }
    CHECK(process.counts().operations - before.operations == 10);
    CHECK(process.counts().commits == before.commits);
}

TEST_CASE("two processes that race for one key on one file make one owner") {
    const TemporaryFolder folder;
    store::SqliteOptions options;
    options.path = folder.file("records.db");
    StoreProcess first{options};
    StoreProcess second{options};
    constexpr std::uint64_t rounds = 150;
    constexpr std::uint64_t claims = 3;
    std::barrier start{2};
    std::vector<int> owners(rounds, 0);
    std::vector<int> owners_of_second(rounds, 0);
    const auto race = [&](StoreProcess& process, std::uint64_t number, std::vector<int>& won) {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            std::vector<guard::ClaimRequest> requests;
            for (std::uint64_t i = 0; i < claims; ++i) {
                requests.push_back(claim_request(round + 1, number * 1'000'000 + round * claims + i + 1));
            }
            start.arrive_and_wait();
            std::vector<std::future<StoreProcess::ClaimResult>> replies;
            for (const auto& request : requests) {
                replies.push_back(process.start_claim(request));
            }
            for (auto& reply : replies) {
                const auto result = reply.get();
                won[round] += result && std::holds_alternative<guard::Claimed>(*result) ? 1 : 0;
            }
        }
    };
    std::thread other([&] { race(second, 2, owners_of_second); });
    race(first, 1, owners);
    other.join();
    int won_by_first = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        CHECK(owners[round] + owners_of_second[round] == 1);
        won_by_first += owners[round];
    }
    // If one always won, they did not race.
    CHECK(won_by_first > 0);
    CHECK(won_by_first < static_cast<int>(rounds));
}
