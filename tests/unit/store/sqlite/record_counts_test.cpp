#include "catch.hpp"
#include "store_process.hpp"

using namespace onceward;
using namespace onceward::test;
using store::RecordCounts;

namespace {

store::SqliteOptions at(const std::string& path) {
    store::SqliteOptions options;
    options.path = path;
    options.purge_interval = milliseconds{5};
    return options;
}

/// Counts are looked at behind an operation, once a second: this waits for a look that finds them.
bool shows(StoreProcess& process, const RecordCounts& counts) {
    return eventually([&] {
        static_cast<void>(process.ping());
        return process.backend().record_counts() == counts;
    });
}

void settle(StoreProcess& process, const guard::ClaimRequest& request, guard::Action action) {
    REQUIRE(process.apply(command(request, process.win(request), std::move(action))).has_value());
}

void one_of_each(StoreProcess& process) {
    process.win(claim_request(1, 10));
    settle(process, claim_request(2, 20), guard::Complete{response()});
    settle(process, claim_request(3, 30), guard::Complete{response()});
    settle(process, claim_request(4, 40), guard::Fail{guard::FailureKind::answered, "status:500"});
    settle(process, claim_request(5, 50), guard::MarkUnknown{"reset"});
}

}  // namespace

TEST_CASE("records of every state are counted, and again after a restart") {
    const TemporaryFolder folder;
    const RecordCounts expected{1, 2, 1, 1, 0};
    {
        StoreProcess process{at(folder.file("records.db"))};
        CHECK(process.backend().record_counts() == RecordCounts{});
        one_of_each(process);
        CHECK(shows(process, expected));
    }
    StoreProcess again{at(folder.file("records.db"))};
    CHECK(again.backend().record_counts() == expected);
}

TEST_CASE("an owner that died leaves an UNKNOWN record, before anybody asks for it") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    auto request = claim_request(1, 10);
    request.lifetimes.lease = milliseconds{1};
    process.win(request);
    CHECK(shows(process, {0, 0, 0, 1, 0}));
    auto forgotten = claim_request(2, 20);
    forgotten.lifetimes.lease = milliseconds{1};
    forgotten.lifetimes.unknown_retention = milliseconds{1};
    process.win(forgotten);
    CHECK(shows(process, {0, 0, 0, 1, 1}));
    // The claim that meets it writes that down: it is still one record.
    REQUIRE(process.claim(claim_request(1, 11)).has_value());
    CHECK(shows(process, {0, 0, 0, 1, 1}));
}

TEST_CASE("what is over counts as EXPIRED, then not at all") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    for (std::uint64_t i = 1; i <= 40; ++i) {
        auto request = claim_request(i, 100 + i);
        request.lifetimes.retention = milliseconds{1};
        request.lifetimes.unknown_retention = milliseconds{1};
        request.lifetimes.tombstone = i <= 20 ? milliseconds{std::chrono::hours{1}} : milliseconds{0};
        settle(process, request,
               i % 2 == 0 ? guard::Action{guard::Complete{response()}} : guard::Action{guard::MarkUnknown{"reset"}});
    }
    CHECK(shows(process, {0, 0, 0, 0, 20}));
}

TEST_CASE("other processes and other programs that change the file are counted too") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    StoreProcess other{at(folder.file("records.db"))};
    one_of_each(other);
    CHECK(shows(process, {1, 2, 1, 1, 0}));
    PlainConnection plain{folder.file("records.db")};
    plain.execute("DELETE FROM onceward WHERE state = 'COMPLETED'");
    plain.execute("UPDATE onceward SET state = 'FAILED', failure = 'answered' WHERE state = 'UNKNOWN'");
    CHECK(shows(process, {1, 0, 2, 0, 0}));
}

TEST_CASE("a file from before the counts is counted when it is opened") {
    const TemporaryFolder folder;
    {
        StoreProcess process{at(folder.file("records.db"))};
        one_of_each(process);
    }
    {
        PlainConnection plain{folder.file("records.db")};
        for (const std::string name : {"entered", "changed_to", "changed_from", "left"}) {
            plain.execute("DROP TRIGGER \"onceward:" + name + "\"");
        }
        plain.execute("DROP TABLE \"onceward:counts\"");
        plain.execute("DROP INDEX \"onceward:open\"");
        plain.execute("UPDATE onceward SET due_at = forget_at WHERE state = 'UNKNOWN'");
    }
    StoreProcess process{at(folder.file("records.db"))};
    CHECK(process.backend().record_counts() == RecordCounts{1, 2, 1, 1, 0});
    settle(process, claim_request(6, 60), guard::Complete{response()});
    CHECK(shows(process, {1, 3, 1, 1, 0}));
}
