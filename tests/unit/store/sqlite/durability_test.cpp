#include "catch.hpp"
#include "store_process.hpp"

#include <unistd.h>

using namespace onceward;
using namespace onceward::test;

namespace {

store::SqliteOptions at(const std::string& path) {
    store::SqliteOptions options;
    options.path = path;
    return options;
}

}  // namespace

TEST_CASE("a claim that was answered outlives a process that is killed") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    const auto request = claim_request(1, 1);
    ChildProcess owner([&](int ready) {
        StoreProcess process{at(path)};
        const auto reply = process.claim(request);
        if (!reply || !std::holds_alternative<guard::Claimed>(*reply)) {
            return 1;
        }
        [[maybe_unused]] const auto size = ::write(ready, "r", 1);
        ::pause();
        return 0;
    });
    REQUIRE(owner.wait_for_byte());
    owner.kill();
    CHECK(owner.wait_for_exit() == -1);

    StoreProcess other{at(path)};
    const auto reply = other.claim(claim_request(1, 2));
    REQUIRE(reply.has_value());
    REQUIRE(std::holds_alternative<guard::Existing>(*reply));
    const auto& record = std::get<guard::Existing>(*reply).record;
    CHECK(record.state == guard::RecordState::processing);
    CHECK(record.owner == owner_token(1));
    CHECK(record.attempt.value == 1);
}

TEST_CASE("an answer that was completed is replayed by the next process byte for byte") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    const auto request = claim_request(1, 1);
    const auto answer = response(201, std::string("a\0b", 3) + std::string(300'000, 'x'), 7);
    {
        StoreProcess process{at(path)};
        const auto claim = process.win(request);
        const auto reply = process.apply(command(request, claim, guard::Complete{answer}));
        REQUIRE(reply.has_value());
        CHECK(reply->verdict == guard::CommandVerdict::applied);
    }
    StoreProcess process{at(path)};
    const auto reply = process.claim(claim_request(1, 2));
    REQUIRE(reply.has_value());
    REQUIRE(std::holds_alternative<guard::Existing>(*reply));
    const auto& record = std::get<guard::Existing>(*reply).record;
    CHECK(record.state == guard::RecordState::completed);
    REQUIRE(record.response.has_value());
    CHECK(record.response->status == 201);
    CHECK(record.response->head == answer.head);
    CHECK((record.response->body == answer.body));
    CHECK(record.response->digest == answer.digest);
    CHECK_FALSE(record.response->truncated);
}

TEST_CASE("the table can be read by a person") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    const auto request = claim_request(1, 1);
    const auto claim = process.win(request);
    PlainConnection plain{folder.file("records.db")};
    CHECK(plain.text("SELECT state FROM onceward") == "PROCESSING");
    REQUIRE(process.apply(command(request, claim, guard::Complete{response(404)})).has_value());
    CHECK(plain.text("SELECT state || ' ' || route || ' ' || status || ' ' || attempt || ' ' || v FROM onceward") ==
          "COMPLETED create-order 404 1 1");
    CHECK(plain.number("SELECT operation_id FROM onceward") == request.operation_id.value);
    CHECK(plain.number("SELECT fence FROM onceward") == claim.fence.value);
    CHECK(plain.text("SELECT cast(body AS TEXT) FROM onceward") == "made");
    CHECK(plain.text("PRAGMA journal_mode") == "wal");
}

TEST_CASE("nobody else can read the file") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    for (const auto* name : {"records.db", "records.db-wal"}) {
        const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
        CHECK((std::filesystem::status(folder.file(name)).permissions() & others) == std::filesystem::perms::none);
    }
}

TEST_CASE("two prefixes in one file are two stores") {
    const TemporaryFolder folder;
    auto first = at(folder.file("records.db"));
    auto second = first;
    first.prefix = "a";
    second.prefix = "a.workers-1";
    StoreProcess one{first};
    StoreProcess two{second};
    one.win(claim_request(1, 1));
    two.win(claim_request(1, 2));
}
