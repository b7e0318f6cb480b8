#include "catch.hpp"
#include "redis_scene.hpp"

#include <algorithm>
#include <set>

/// What only Redis shows of an operator's calls: keys, ends, rights, and what stands beside the records.

namespace onceward::contract {

using namespace guard;
using store::Detail;
using store::Reach;
using store::StoreErrc;
using test::claim_request;
using test::command;
using test::operator_command;

namespace {

constexpr seconds patience{5};

OperatorReply operate(RedisScene& scene, const OperatorCommand& command) {
    return scene.wait(scene.redis().operate(command, std::chrono::steady_clock::now() + patience)).value();
}

Result<std::optional<store::FoundRecord>> find(RedisScene& scene, std::uint64_t number, std::vector<std::string> routes = {}) {
    const store::RecordLookup lookup{test::record_id(number), std::move(routes), Reach::everywhere, Detail::content};
    return scene.wait(scene.redis().find(lookup, std::chrono::steady_clock::now() + patience));
}

std::vector<store::ListedRecord> list_all(RedisScene& scene, store::RecordQuery query = {}) {
    std::vector<store::ListedRecord> all;
    do {
        auto page = scene.wait(scene.redis().list(query, std::chrono::steady_clock::now() + patience)).value();
        std::move(page.records.begin(), page.records.end(), std::back_inserter(all));
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    return all;
}

/// Many copies of a completed record and its content, made by the server.
void make_copies(RedisScene& scene, const RedisServer& server, std::size_t count) {
    const auto request = claim_request(1, 10);
    scene.complete(request);
    server.command({"EVAL",
                    "local record = redis.call('GET', KEYS[1]) for i = 1, tonumber(ARGV[1]) do "
                    "local name = string.format('test:{create-order:%016x%048d}', i * 1048576, 0) "
                    "redis.call('SET', name, record) redis.call('SET', name .. ':body', 'made') end return 'made'",
                    "1", key_of(request), std::to_string(count)});
}

std::size_t distinct(const std::vector<store::ListedRecord>& all) {
    std::set<RecordId> ids;
    for (const auto& listed : all) {
        ids.insert(listed.id);
    }
    return ids.size();
}

milliseconds ttl(const RedisServer& server, const std::string& key) {
    return milliseconds{std::stoll(server.command({"PTTL", key}))};
}

void check_about(milliseconds actual, milliseconds expected) {
    CHECK(actual > expected - seconds{5});
    CHECK(actual <= expected + seconds{2});
}

}  // namespace

TEST_CASE("an operator's word sets the key's end in the same step") {
    RedisServer server;
    RedisScene scene(server.tcp());
    auto request = claim_request(1, 10);
    request.lifetimes = {seconds{10}, seconds{1'000}, seconds{20'000}, seconds{3'000}};
    const auto claim = scene.win(request);
    scene.apply(command(request, claim, MarkUnknown{"reset"})).value();
    SECTION("released: retention, without a tombstone") {
        operate(scene, operator_command(request, claim.fence, Release{}));
        check_about(ttl(server, key_of(request)), request.lifetimes.retention);
    }
    SECTION("resolved as failed: the same") {
        operate(scene, operator_command(request, claim.fence, ResolveFailed{}));
        check_about(ttl(server, key_of(request)), request.lifetimes.retention);
    }
    SECTION("resolved as completed: retention and tombstone, the content without the tombstone") {
        operate(scene, operator_command(request, claim.fence, ResolveCompleted{test::response()}));
        check_about(ttl(server, key_of(request)), request.lifetimes.retention + request.lifetimes.tombstone);
        check_about(ttl(server, key_of(request, ":body")), request.lifetimes.retention);
    }
}

TEST_CASE("an answer that an operator took back leaves nothing of itself") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    scene.apply(command(request, claim, Complete{test::response()})).value();
    const auto action = GENERATE(values<OperatorAction>({Release{}, ResolveFailed{}}));
    operate(scene, operator_command(request, claim.fence, action, Force::yes));
    CHECK(server.command({"EXISTS", key_of(request, ":body")}) == "0");
    StoredWords words(server, key_of(request));
    CHECK(words["state"] == "FAILED");
    CHECK(words["answer"].empty());
    CHECK(words["owner"] == std::string(32, '0'));
}

TEST_CASE("a record that can't be read is listed, is corrupt when it is looked at, and an operator can't change it") {
    RedisServer server;
    RedisScene scene(server.tcp());
    for (std::uint64_t number = 1; number <= 5; ++number) {
        scene.complete(claim_request(number, 10));
    }
    const auto request = claim_request(3, 10);
    const auto key = key_of(request);
    const auto how = GENERATE(as<std::string>{}, "junk", "list", "hash", "state", "older", "newer", "fence");
    INFO(how);
    StoredWords words(server, key);
    if (how == "junk") {
        server.command({"SET", key, "junk"});
    } else if (how == "list") {
        server.command({"DEL", key});
        server.command({"RPUSH", key, "junk"});
    } else if (how == "hash") {
        server.command({"DEL", key});
        server.command({"HSET", key, "state", "COMPLETED"});
    } else {
        words[how == "state" || how == "fence" ? how : "version"] = how == "state"   ? "EXPIRED"
                                                                    : how == "fence" ? "high"
                                                                    : how == "older" ? "1"
                                                                                     : "3";
        words.write();
    }
    const auto before = server.command({"DUMP", key});
    const auto all = list_all(scene);
    CHECK(all.size() == 5);
    for (const auto& listed : all) {
        CHECK(listed.route == "create-order");
        CHECK(listed.record.has_value() == (listed.id != request.id));
    }
    store::RecordQuery query;
    query.state = RecordState::completed;
    CHECK(list_all(scene, query).size() == 4);
    for (const auto& routes : {std::vector<std::string>{"create-order"}, std::vector<std::string>{}}) {
        const auto found = find(scene, 3, routes);
        REQUIRE(found.has_error());
        CHECK(found.error() == StoreErrc::corrupt);
    }
    const auto word = operator_command(request, {1}, Release{}, Force::yes);
    const auto reply = scene.wait(scene.redis().operate(word, std::chrono::steady_clock::now() + patience));
    REQUIRE(reply.has_error());
    CHECK(reply.error() == StoreErrc::corrupt);
    CHECK(server.command({"DUMP", key}) == before);
}

TEST_CASE("a completed record without its content is corrupt for who wants it") {
    RedisServer server;
    RedisScene scene(server.tcp());
    scene.complete(claim_request(1, 10));
    server.command({"DEL", key_of(claim_request(1, 10), ":body")});
    CHECK(find(scene, 1).error() == StoreErrc::corrupt);
    CHECK(list_all(scene).size() == 1);
}

TEST_CASE("only records of this prefix are listed, whatever else the server keeps") {
    RedisServer server;
    RedisScene scene(server.tcp());
    for (std::uint64_t number = 1; number <= 30; ++number) {
        scene.complete(claim_request(number, 10));
        server.command({"SET", "another:" + std::to_string(number), "thing"});
    }
    for (const auto* other :
         {"test:{}", "test:{create-order:12}", "test:{:}", "tests:{create-order:00}", "test:{create-order}"}) {
        server.command({"SET", other, "junk"});
    }
    store::RecordQuery query;
    query.limit = 4;
    CHECK(list_all(scene, query).size() == 30);
}

TEST_CASE("while nothing changes each record is on one page, whatever the pages' length") {
    RedisServer server;
    RedisScene scene(server.tcp());
    constexpr std::size_t copies = 1'310;
    make_copies(scene, server, copies);
    store::RecordQuery query;
    query.limit = GENERATE(as<std::size_t>{}, 1, 3, 7, 13, 100, 1'000);
    INFO("limit " << query.limit);
    const auto all = list_all(scene, query);
    CHECK(all.size() == copies + 1);
    CHECK(distinct(all) == copies + 1);
}

TEST_CASE("while nothing changes each record is on one page, also among many other keys") {
    RedisServer server;
    RedisScene scene(server.tcp());
    constexpr std::size_t copies = 2'000;
    make_copies(scene, server, copies);
    // Records are then rare, so that steps grow; with a short page they have to be shorter again.
    server.command({"EVAL", "for i = 1, 40000 do redis.call('SET', 'another:' .. i, 'thing') end return 'made'", "0"});
    store::RecordQuery query;
    query.route = GENERATE("", "create-order");
    INFO("route " << query.route);
    // A page is asked for with another limit than the one before: a cursor is not bound to it.
    const std::vector<std::size_t> limits{1, 150, 7, 13, 1'000, 3};
    std::vector<store::ListedRecord> all;
    for (std::size_t pages = 0; pages == 0 || !query.cursor.empty(); ++pages) {
        query.limit = limits[pages % limits.size()];
        auto page = scene.wait(scene.redis().list(query, std::chrono::steady_clock::now() + patience)).value();
        REQUIRE(page.records.size() <= query.limit);
        CHECK(page.next_cursor.size() <= 4'096);
        std::move(page.records.begin(), page.records.end(), std::back_inserter(all));
        query.cursor = page.next_cursor;
    }
    CHECK(all.size() == copies + 1);
    CHECK(distinct(all) == copies + 1);
}

TEST_CASE("thousands of records are listed and found in small steps, without a look at all keys at once") {
    RedisServer server;
    RedisScene scene(server.tcp());
    scene.complete(claim_request(1, 10));
    server.command({"EVAL",
                    "local record = redis.call('GET', KEYS[1]) for i = 1, 20000 do redis.call('SET', string.format("
                    "'test:{create-order:%016x%048d}', i * 1048576, 0), record) end return 'made'",
                    "1", key_of(claim_request(1, 10))});
    const auto stuck = claim_request(7, 20);
    const auto claim = scene.win(stuck);
    scene.apply(command(stuck, claim, MarkUnknown{"reset"})).value();
    server.command({"CONFIG", "RESETSTAT"});
    store::RecordQuery query;
    query.limit = 1'000;
    auto ids = list_all(scene, query);
    std::sort(ids.begin(), ids.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    const auto end = std::unique(ids.begin(), ids.end(), [](const auto& a, const auto& b) { return a.id == b.id; });
    CHECK(end - ids.begin() == 20'002);
    query.state = RecordState::unknown;
    const auto unknown = list_all(scene, query);
    REQUIRE(unknown.size() == 1);
    CHECK(unknown.front().id == stuck.id);
    CHECK(find(scene, 7).value()->record.evidence == "reset");
    const auto stats = server.command({"INFO", "commandstats"});
    CHECK(stats.find("cmdstat_keys:") == std::string::npos);
    // Of the first list alone, a hundred keys a step; the others look at more.
    const std::string scans = "cmdstat_scan:calls=";
    REQUIRE(stats.find(scans) != std::string::npos);
    CHECK(std::stoll(stats.substr(stats.find(scans) + scans.size())) >= 200);
}

TEST_CASE("an operator is heard with full memory") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    server.command({"CONFIG", "SET", "maxmemory", "1"});
    REQUIRE(scene.claim(claim_request(2, 10)).has_error());
    CHECK(find(scene, 1).value());
    CHECK(list_all(scene).size() == 1);
    const auto reply = operate(scene, operator_command(request, claim.fence, Release{}, Force::yes));
    CHECK(to_text(reply.verdict) == "applied");
}

TEST_CASE("an operator's word is one command on the server, and so is a look at a record whose route is known") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    const auto run = [&] {
        const auto info = server.command({"INFO", "commandstats"});
        const std::string name = "cmdstat_evalsha:calls=";
        return std::stoll(info.substr(info.find(name) + name.size()));
    };
    operate(scene, operator_command(request, claim.fence, Release{}));
    CHECK(find(scene, 1, {"create-order"}).value());
    const auto before = run();
    operate(scene, operator_command(request, claim.fence, Release{}, Force::yes));
    CHECK(run() == before + 1);
    CHECK(find(scene, 1, {"create-order"}).value());
    CHECK(run() == before + 2);
}

}  // namespace onceward::contract
