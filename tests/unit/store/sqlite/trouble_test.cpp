#include "catch.hpp"
#include "store_process.hpp"

#include <signal.h>
#include <sys/resource.h>

using namespace onceward;
using namespace onceward::test;
using store::StoreErrc;

namespace {

store::SqliteOptions at(const std::string& path) {
    store::SqliteOptions options;
    options.path = path;
    options.busy_timeout = milliseconds{50};
    return options;
}

bool claimed(const StoreProcess::ClaimResult& result) {
    return result && std::holds_alternative<guard::Claimed>(*result);
}

}  // namespace

TEST_CASE("a file that another program holds past the time limit is a store failure, and is used again afterwards") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    PlainConnection plain{folder.file("records.db")};
    plain.execute("BEGIN IMMEDIATE");
    const auto refused = process.claim(claim_request(1, 1));
    REQUIRE(refused.has_error());
    CHECK(refused.error() == StoreErrc::unavailable);
    CHECK_FALSE(store::may_have_been_written(refused.error()));
    CHECK(process.ping().has_error());
    plain.execute("ROLLBACK");
    CHECK(process.ping().has_value());
    CHECK(claimed(process.claim(claim_request(1, 2))));
}

TEST_CASE("a claim whose deadline passes in the queue ends then, and is not carried out later") {
    const TemporaryFolder folder;
    auto options = at(folder.file("records.db"));
    options.busy_timeout = seconds{5};
    StoreProcess process{options};
    PlainConnection plain{options.path};
    plain.execute("BEGIN IMMEDIATE");
    const auto first = claim_request(1, 1);
    const auto start = std::chrono::steady_clock::now();
    const auto late = process.claim(first, milliseconds{60});
    const auto took = std::chrono::steady_clock::now() - start;
    REQUIRE(late.has_error());
    CHECK(late.error() == StoreErrc::timed_out);
    CHECK(store::may_have_been_written(late.error()));
    CHECK(took >= milliseconds{60});
    CHECK(took < seconds{3});
    plain.execute("ROLLBACK");
    REQUIRE(process.ping().has_value());
    CHECK(plain.number("SELECT count(*) FROM onceward") == 0);
    CHECK(claimed(process.claim(claim_request(1, 2))));
}

TEST_CASE("a file that was removed is a store failure, not an empty store") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    StoreProcess process{at(path)};
    process.win(claim_request(1, 1));
    std::filesystem::rename(path, folder.file("elsewhere.db"));
    CHECK(process.claim(claim_request(1, 2)).error() == StoreErrc::unavailable);
    CHECK(process.claim(claim_request(2, 3)).error() == StoreErrc::unavailable);
    CHECK(process.ping().has_error());
    CHECK_FALSE(std::filesystem::exists(path));

    std::filesystem::rename(folder.file("elsewhere.db"), path);
    const auto reply = process.claim(claim_request(1, 4));
    REQUIRE(reply.has_value());
    CHECK(std::holds_alternative<guard::Existing>(*reply));
}

TEST_CASE("another file in the place of the database is a store failure") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    StoreProcess process{at(path)};
    process.win(claim_request(1, 1));
    std::filesystem::copy_file(path, folder.file("copy.db"));
    std::filesystem::rename(folder.file("copy.db"), path);
    CHECK(process.claim(claim_request(1, 2)).error() == StoreErrc::unavailable);
    CHECK(process.ping().has_error());
}

TEST_CASE("a WAL that was removed is a store failure: the next process would not see what is in it") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    StoreProcess process{at(path)};
    process.win(claim_request(1, 1));
    std::filesystem::remove(path + "-wal");
    CHECK(process.claim(claim_request(2, 2)).error() == StoreErrc::unavailable);
    CHECK(process.ping().has_error());
}

TEST_CASE("a write that fails is a store failure for the claim, and the store recovers by itself") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    // The limit is the process's, so the process is another.
    ChildProcess child([&](int) {
        ::signal(SIGXFSZ, SIG_IGN);
        StoreProcess process{at(path)};
        const auto request = claim_request(1, 1);
        const auto claim = process.claim(request);
        if (!claimed(claim)) {
            return 1;
        }
        const rlimit none{16 * 1024, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &none);
        const auto failed = process.claim(claim_request(2, 2));
        if (failed || failed.error() == StoreErrc::corrupt) {
            return 2;
        }
        if (process.ping()) {
            return 3;
        }
        const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &all);
        if (!process.ping()) {
            return 4;
        }
        const auto& owned = std::get<guard::Claimed>(*claim).claim;
        if (!process.apply(command(request, owned, guard::Complete{response()}))) {
            return 5;
        }
        return claimed(process.claim(claim_request(2, 3))) ? 0 : 6;
    });
    CHECK(child.wait_for_exit() == 0);
}
