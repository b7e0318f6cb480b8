#include "catch.hpp"
#include "store_process.hpp"

using namespace onceward;
using namespace onceward::test;
using store::StoreErrc;

namespace {

store::SqliteOptions at(const std::string& path) {
    store::SqliteOptions options;
    options.path = path;
    options.busy_timeout = seconds{5};
    return options;
}

}  // namespace

TEST_CASE("a record that can't be read is corrupt, for its claims and its owner, and no other record suffers") {
    const auto* damage = GENERATE(
        as<const char*>{}, "v = 2", "v = 'one'", "v = 0", "state = 'DONE'", "state = 'EXPIRED'", "state = 7", "state = x'50'",
        "owner = x'0102'", "owner = 'sixteen-byte-txt'", "last_owner = 0", "fence = 'high'", "fence = -1", "fence = 1.5",
        "attempt = 0", "attempt = 4294967296", "operation_id = 'x'", "fingerprint_version = x'00'", "fingerprint = x''",
        "raw = 'r'", "caller = 1", "parts = x'00'", "may = 2", "may = 'no'", "failure = ''", "evidence = x'05'",
        "created_at = 'now'", "updated_at = -1", "lease_until = 9223372036854775807", "keep_until = 'soon'", "forget_at = 1e30",
        "status = 'ok'", "status = 99", "status = NULL", "truncated = 3", "truncated = NULL", "digest = x'00'", "digest = NULL",
        "head = 'text'", "body = 0", "body = -12", "ver = 0", "ver = 'a'");
    CAPTURE(damage);
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    const auto request = claim_request(1, 1);
    const auto claim = process.win(request);
    REQUIRE(process.apply(command(request, claim, guard::Complete{response()})).has_value());
    const auto neighbour = claim_request(2, 2);
    const auto neighbours_claim = process.win(neighbour);

    PlainConnection plain{folder.file("records.db")};
    plain.execute(std::string{"UPDATE onceward SET "} + damage + " WHERE state = 'COMPLETED'");
    const auto row = plain.text("SELECT quote(v) || quote(state) || quote(owner) FROM onceward ORDER BY rowid LIMIT 1");

    const auto claimed = process.claim(claim_request(1, 3));
    REQUIRE(claimed.has_error());
    CHECK(claimed.error() == StoreErrc::corrupt);
    CHECK_FALSE(store::may_have_been_written(claimed.error()));
    CHECK(process.apply(command(request, claim, guard::Renew{})).error() == StoreErrc::corrupt);
    CHECK(process.apply(command(request, claim, guard::NoteBypassed{})).error() == StoreErrc::corrupt);
    const auto release = operator_command(request, claim.fence, guard::Release{}, guard::Force::yes);
    CHECK(process.operate(release).error() == StoreErrc::corrupt);
    CHECK(process.find({request.id, {request.route}, {}, store::Detail::fields}).error() == StoreErrc::corrupt);
    CHECK(plain.text("SELECT quote(v) || quote(state) || quote(owner) FROM onceward ORDER BY rowid LIMIT 1") == row);

    // It is listed as what it is, and the next one after it.
    const auto page = process.list({}).value();
    REQUIRE(page.records.size() == 2);
    CHECK(page.records[0].id == request.id);
    CHECK(page.records[0].route == request.route);
    CHECK_FALSE(page.records[0].record);
    CHECK(page.records[1].record);

    const auto completed = process.apply(command(neighbour, neighbours_claim, guard::Complete{response()}));
    REQUIRE(completed.has_value());
    CHECK(completed->verdict == guard::CommandVerdict::applied);
    CHECK(process.ping().has_value());
}

TEST_CASE("a corrupt record in a group fails alone") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    process.win(claim_request(1, 1));
    PlainConnection plain{folder.file("records.db")};
    plain.execute("UPDATE onceward SET state = 'junk'");
    plain.execute("BEGIN IMMEDIATE");
    const auto corrupt = claim_request(1, 2);
    const auto before_it = claim_request(2, 3);
    const auto after_it = claim_request(3, 4);
    auto first = process.start_claim(before_it);
    auto second = process.start_claim(corrupt);
    auto third = process.start_claim(after_it);
    plain.execute("COMMIT");
    const auto won = [](const StoreProcess::ClaimResult& result) {
        return result && std::holds_alternative<guard::Claimed>(*result);
    };
    CHECK(won(first.get()));
    CHECK(second.get().error() == StoreErrc::corrupt);
    CHECK(won(third.get()));
}

TEST_CASE("a record dated far ahead by another clock does not end the leases of others") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    process.win(claim_request(1, 1));
    process.win(claim_request(2, 2));
    PlainConnection plain{folder.file("records.db")};
    const std::string ahead = "3600000000";
    plain.execute("UPDATE onceward SET updated_at = updated_at + " + ahead + ", lease_until = lease_until + " + ahead +
                  ", keep_until = keep_until + " + ahead + ", forget_at = forget_at + " + ahead + " WHERE rowid = 1");
    const auto state_of = [&](std::uint64_t id) {
        const auto reply = process.claim(claim_request(id, id + 10));
        REQUIRE(reply.has_value());
        REQUIRE(std::holds_alternative<guard::Existing>(*reply));
        return std::get<guard::Existing>(*reply).record.state;
    };
    CHECK(state_of(1) == guard::RecordState::processing);
    CHECK(state_of(2) == guard::RecordState::processing);
}

TEST_CASE("a row whose id or route is damaged breaks no list") {
    const auto* damage = GENERATE(as<const char*>{}, "id = x'01'", "id = 'text'", "route = x'00'", "route = 7");
    CAPTURE(damage);
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    process.win(claim_request(1, 1));
    process.win(claim_request(2, 2));
    PlainConnection plain{folder.file("records.db")};
    plain.execute(std::string{"UPDATE onceward SET "} + damage + " WHERE rowid = 1");
    const auto page = process.list({}).value();
    REQUIRE_FALSE(page.records.empty());
    CHECK(page.records.back().id == record_id(2));
    CHECK(page.records.back().record);
    CHECK(page.records.size() == (std::string_view(damage).starts_with("id") ? 1 : 2));
    store::RecordQuery query;
    query.route = "create-order";
    CHECK(process.list(query).value().records.size() == 1);
}

TEST_CASE("a list of many rows goes in turns between which claims are answered") {
    const TemporaryFolder folder;
    StoreProcess process{at(folder.file("records.db"))};
    const auto first = claim_request(1, 1);
    REQUIRE(
        process.apply(command(first, process.win(first), guard::Complete{response(200, std::string(5'000, 'x'))})).has_value());
    PlainConnection plain{folder.file("records.db")};
    const auto columns = plain.text("SELECT group_concat(name, ', ') FROM pragma_table_info('onceward') WHERE name <> 'id'");
    plain.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO onceward (id, " +
                  columns + ") SELECT CAST(printf('%032d', i) AS BLOB), " + columns + " FROM onceward, n WHERE rowid = 1");
    const auto stuck = claim_request(2, 2);
    REQUIRE(process.apply(command(stuck, process.win(stuck), guard::MarkUnknown{"reset"})).has_value());
    store::RecordQuery query;
    query.limit = 700;
    std::size_t count = 0;
    const auto before = process.counts().operations;
    do {
        const auto page = process.list(query).value();
        count += page.records.size();
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    CHECK(count == 2'002);
    CHECK(process.counts().operations - before >= 2'002 / 128);
    query.state = guard::RecordState::unknown;
    std::vector<store::ListedRecord> unknown;
    do {
        const auto page = process.list(query).value();
        unknown.insert(unknown.end(), page.records.begin(), page.records.end());
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    REQUIRE(unknown.size() == 1);
    CHECK(unknown.front().id == stuck.id);
}
