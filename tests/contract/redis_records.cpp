#include "catch.hpp"
#include "redis_scene.hpp"

namespace onceward::contract {

using namespace guard;
using test::claim_request;
using test::command;

namespace {

milliseconds ttl(const RedisServer& server, const std::string& key) {
    return milliseconds{std::stoll(server.command({"PTTL", key}))};
}

void check_about(milliseconds actual, milliseconds expected) {
    CHECK(actual > expected - seconds{5});
    CHECK(actual <= expected + seconds{2});
}

ClaimRequest claim_with(Lifetimes lifetimes) {
    auto request = claim_request(1, 10);
    request.lifetimes = lifetimes;
    return request;
}

const Lifetimes usual{seconds{10}, seconds{1'000}, seconds{20'000}, seconds{3'000}};

}  // namespace

TEST_CASE("a person can read a record") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    CHECK(server.command({"GET", key_of(request)}).starts_with("2 PROCESSING 0 "));
    StoredWords record(server, key_of(request));
    CHECK(record["state"] == "PROCESSING");
    CHECK(record["owner"] == base::to_hex(request.owner.bytes));
    CHECK(record["attempt"] == "1");
    CHECK(record["fence"] == std::to_string(claim.fence.value));
    CHECK(record["operation_id"] == "1000010");
    CHECK(record["parts"] == request.identity.parts);
    const auto lease_until = record["until"];
    scene.apply(command(request, claim, Complete{test::response()})).value();
    StoredWords completed(server, key_of(request));
    CHECK(completed["state"] == "COMPLETED");
    CHECK(completed["other"] == lease_until);
    CHECK(completed["answer"].starts_with("201 0 "));
    CHECK(completed["answer"].ends_with(" " + std::to_string(test::response().head.size()) + " 4"));
    CHECK(server.command({"GET", key_of(request, ":body")}) == test::response().head + "made");
}

TEST_CASE("a key ends with the time that its state is kept for") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_with(usual);
    const auto claim = scene.win(request);
    check_about(ttl(server, key_of(request)), usual.lease + usual.unknown_retention + usual.tombstone);
    SECTION("COMPLETED: retention and tombstone, the content without the tombstone") {
        scene.apply(command(request, claim, Complete{test::response()})).value();
        check_about(ttl(server, key_of(request)), usual.retention + usual.tombstone);
        check_about(ttl(server, key_of(request, ":body")), usual.retention);
    }
    SECTION("UNKNOWN: its retention and tombstone") {
        scene.apply(command(request, claim, MarkUnknown{"reset"})).value();
        check_about(ttl(server, key_of(request)), usual.unknown_retention + usual.tombstone);
    }
    SECTION("FAILED: retention") {
        scene.apply(command(request, claim, Fail{FailureKind::answered, "status:500"})).value();
        check_about(ttl(server, key_of(request)), usual.retention);
    }
    SECTION("a renewal sets it again") {
        server.command({"PERSIST", key_of(request)});
        scene.apply(command(request, claim, Renew{})).value();
        check_about(ttl(server, key_of(request)), usual.lease + usual.unknown_retention + usual.tombstone);
    }
    SECTION("a record that was lost and written again has it too") {
        server.command({"FLUSHALL"});
        scene.apply(command(request, claim, Renew{})).value();
        check_about(ttl(server, key_of(request)), usual.lease + usual.unknown_retention + usual.tombstone);
    }
}

TEST_CASE("after retention the content is gone and the tombstone stays") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_with({milliseconds{200}, milliseconds{200}, seconds{100}, milliseconds{200}});
    scene.complete(request);
    scene.run_until([&] { return server.command({"EXISTS", key_of(request, ":body")}) == "0"; });
    const auto reply = scene.claim(claim_request(1, 11)).value();
    CHECK(std::get<Existing>(reply).record.state == RecordState::expired);
    CHECK(server.command({"DBSIZE"}) == "2");  // the tombstone and the epoch key
}

TEST_CASE("a record that can't be read is never executed, and stays as it is") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto key = key_of(request);
    const auto claim = scene.win(request);
    const auto state = GENERATE(as<std::string>{}, "PROCESSING", "COMPLETED", "FAILED", "UNKNOWN");
    if (state == "COMPLETED") {
        scene.apply(command(request, claim, Complete{test::response()})).value();
    } else if (state == "FAILED") {
        scene.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"})).value();
    } else if (state == "UNKNOWN") {
        scene.apply(command(request, claim, MarkUnknown{"reset"})).value();
    }
    const auto how = GENERATE(as<std::string>{}, "junk", "empty", "list", "hash", "state", "only state", "older", "newer",
                              "emptied", "binary", "cut", "more");
    INFO(state << ", " << how);
    StoredWords words(server, key);
    const auto text = server.command({"GET", key});
    if (how == "junk" || how == "empty") {
        server.command({"SET", key, how == "junk" ? "junk" : ""});
    } else if (how == "list") {
        server.command({"DEL", key});
        server.command({"RPUSH", key, "junk"});
    } else if (how == "hash") {
        server.command({"DEL", key});
        server.command({"HSET", key, "state", state});
    } else if (how == "only state") {
        server.command({"SET", key, text.substr(0, 12)});
    } else if (how == "cut" || how == "more") {
        server.command({"SET", key, how == "cut" ? text.substr(0, text.find('\n')) : text + "\nmore"});
    } else if (how == "state" || how == "older" || how == "newer") {
        words[how == "state" ? "state" : "version"] = how == "state" ? "BANANA" : how == "older" ? "1" : "3";
        words.write();
    } else {
        for (const auto& name : words.names()) {
            if (name != "state" && name != "version") {
                words[name] = how == "emptied" ? std::string() : std::string("\xff\0\1{", 4);
            }
        }
        words.write();
    }
    const auto before = server.command({"DUMP", key});
    const auto claimed = scene.claim(claim_request(1, 11));
    REQUIRE(claimed.has_error());
    CHECK(claimed.error() == store::StoreErrc::corrupt);
    const auto applied = scene.apply(command(request, claim, Renew{}));
    REQUIRE(applied.has_error());
    CHECK(applied.error() == store::StoreErrc::corrupt);
    CHECK(server.command({"DUMP", key}) == before);
}

TEST_CASE("each field that a decision rests on is checked before the record is written") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    scene.apply(command(request, claim, Fail{FailureKind::not_executed, "refused"})).value();
    const auto* field =
        GENERATE("state", "may", "owner", "until", "fingerprint_version", "fingerprint", "raw", "caller", "last_owner", "fence",
                 "attempt", "operation_id", "created_at", "updated_at", "other", "forget_at", "failure");
    const auto* junk = GENERATE("", "junk", "-1", "1e3", "99999999999999999999");
    INFO(field << " = " << junk);
    StoredWords words(server, key_of(request));
    words[field] = junk;
    words.write();
    const auto reply = scene.claim(claim_request(1, 11));
    REQUIRE(reply.has_error());
    CHECK(reply.error() == store::StoreErrc::corrupt);
}

TEST_CASE("a completed record without its content is not replayed and not executed") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    scene.complete(request);
    const auto body = key_of(request, ":body");
    SECTION("gone") {
        server.command({"DEL", body});
    }
    SECTION("shorter") {
        server.command({"SET", body, "mad"});
    }
    SECTION("of another type") {
        server.command({"DEL", body});
        server.command({"HSET", body, "body", "made"});
    }
    const auto reply = scene.claim(claim_request(1, 11));
    REQUIRE(reply.has_error());
    CHECK(reply.error() == store::StoreErrc::corrupt);
}

TEST_CASE("a fence grows digit by digit also where a double can't count") {
    RedisServer server;
    RedisScene scene(server.tcp());
    struct Row {
        const char* before;
        std::int64_t after;
    };
    const auto row = GENERATE(values<Row>({{"9007199254740993", 9'007'199'254'740'994},
                                           {"4611686018427387999", 4'611'686'018'427'388'000},
                                           {"8999999999999999999", 9'000'000'000'000'000'000},
                                           {"9223372036854775806", 9'223'372'036'854'775'807}}));
    const auto request = claim_request(1, 10);
    scene.apply(command(request, scene.win(request), Fail{FailureKind::not_executed, "refused"})).value();
    StoredWords words(server, key_of(request));
    words["fence"] = row.before;
    words.write();
    const auto claim = scene.win(claim_request(1, 11));
    CHECK(claim.fence.value == row.after);
    CHECK(StoredWords(server, key_of(request))["fence"] == std::to_string(row.after));
}

TEST_CASE("a fence that can't grow any more is not used") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    scene.apply(command(request, scene.win(request), Fail{FailureKind::not_executed, "refused"})).value();
    StoredWords words(server, key_of(request));
    words["fence"] = "9223372036854775807";
    words.write();
    CHECK(scene.claim(claim_request(1, 11)).error() == store::StoreErrc::corrupt);
}

TEST_CASE("records of a database number stay in it") {
    RedisServer server;
    auto options = server.tcp();
    options.redis.database = 3;
    RedisScene scene(options);
    const auto request = claim_request(1, 10);
    scene.win(request);
    CHECK(server.command({"EXISTS", key_of(request)}) == "0");
    CHECK(server.command({"INFO", "keyspace"}).find("db3:keys=") != std::string::npos);
}

TEST_CASE("a worker row that can't be read is given to nobody") {
    RedisServer server;
    RedisScene scene(server.tcp());
    server.command({"HSET", "test:workers", "0", "junk", "1", ""});
    store::WorkerLeaseRequest request;
    request.owner = test::owner_token(1);
    request.clock = scene.redis().now();
    const auto lease = scene.wait(scene.redis().lease_worker(request, Deadline::max()));
    CHECK(lease.value().worker_id == 2);
    request.owner = test::owner_token(2);
    request.wanted = 0;
    CHECK(scene.wait(scene.redis().lease_worker(request, Deadline::max())).error() == store::StoreErrc::rejected);
}

}  // namespace onceward::contract
