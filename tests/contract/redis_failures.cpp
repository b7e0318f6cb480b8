#include "catch.hpp"
#include "redis_scene.hpp"

#include <thread>

namespace onceward::contract {

using namespace guard;
using store::may_have_been_written;
using store::StoreErrc;
using test::claim_request;
using test::command;

namespace {

using std::chrono::steady_clock;

const Fail refused{FailureKind::not_executed, "refused"};

/// Until the store is back, which takes a reconnect.
guard::Claim win_when_back(RedisScene& scene, const ClaimRequest& request) {
    std::optional<guard::Claim> claim;
    scene.run_until([&] {
        const auto reply = scene.claim(request, milliseconds{500});
        if (reply && std::holds_alternative<Claimed>(*reply)) {
            claim = std::get<Claimed>(*reply).claim;
        }
        return claim.has_value();
    });
    return *claim;
}

}  // namespace

TEST_CASE("a server that forgot the scripts is given them again, and the claim is made once") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    server.command({"SCRIPT", "FLUSH"});
    CHECK(scene.apply(command(request, claim, Complete{test::response()})).value().verdict == CommandVerdict::applied);
    CHECK(scene.win(claim_request(2, 20)).attempt.value == 1);
    server.command({"SCRIPT", "FLUSH"});
    CHECK(scene.ping());
}

TEST_CASE("a server that was restarted is used again, without its scripts") {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    server.kill();
    const auto began = steady_clock::now();
    const auto reply = scene.claim(claim_request(2, 20), milliseconds{500});
    CHECK(steady_clock::now() - began < seconds{2});
    REQUIRE(reply.has_error());
    server.start();
    CHECK(win_when_back(scene, claim_request(3, 30)).attempt.value == 1);
    CHECK(scene.apply(command(request, claim, Complete{test::response()})).value().verdict == CommandVerdict::applied);
    scene.run_until([&] { return !scene.events.losses.empty(); });
    CHECK(scene.events.losses.front().find("run id") != std::string::npos);
}

TEST_CASE("a store that is made before its server waits for it") {
    RedisServer server;
    server.kill();
    RedisScene scene(server.tcp());
    CHECK(scene.ping(milliseconds{100}).error() == StoreErrc::unavailable);
    CHECK_FALSE(may_have_been_written(scene.claim(claim_request(1, 10), milliseconds{100}).error()));
    server.start();
    scene.run_until([&] { return scene.ping(milliseconds{500}).has_value(); });
    CHECK(scene.win(claim_request(1, 11)).attempt.value == 1);
}

TEST_CASE("a command that a stopped server does not answer times out, and its late reply reaches no other") {
    RedisServer server;
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    server.pause();
    auto late = claim_request(1, 10);
    const auto began = steady_clock::now();
    std::optional<Result<ClaimReply>> first;
    std::optional<Result<ClaimReply>> second;
    const auto second_request = claim_request(2, 20);
    scene.start(scene.redis().claim(late, began + milliseconds{200}), first);
    scene.start(scene.redis().claim(second_request, began + milliseconds{5'000}), second);
    scene.run_until([&] { return first && second; });
    CHECK(steady_clock::now() - began < seconds{2});
    CHECK(first->error() == StoreErrc::timed_out);
    CHECK(second->error() == StoreErrc::lost);
    CHECK(may_have_been_written(first->error()));
    const auto third = scene.claim(claim_request(3, 30), milliseconds{200});
    CHECK(third.error() == StoreErrc::unavailable);
    server.resume();
    const auto fourth = win_when_back(scene, claim_request(4, 40));
    CHECK(fourth.owner == test::owner_token(40));
    CHECK(fourth.operation_id.value == 1'000'040);
    // Both were carried out after all: sent again, they know themselves.
    CHECK(scene.win(late).owner == late.owner);
    CHECK(scene.win(second_request).owner == second_request.owner);
}

TEST_CASE("a claim that reaches a server too late leaves nothing") {
    RedisServer server;
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    auto request = claim_request(1, 10);
    request.deadline = scene.redis().now() + milliseconds{100};
    server.pause();
    CHECK(scene.claim(request, milliseconds{200}).error() == StoreErrc::timed_out);
    server.resume();
    CHECK(win_when_back(scene, claim_request(2, 20)).attempt.value == 1);
    CHECK(server.command({"EXISTS", key_of(request)}) == "0");
    CHECK(std::holds_alternative<Late>(scene.claim(request).value()));
}

TEST_CASE("commands under way on a connection that is cut are lost at once") {
    RedisServer server;
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    server.pause();
    std::optional<Result<ClaimReply>> reply;
    const auto request = claim_request(1, 10);
    const auto began = steady_clock::now();
    scene.start(scene.redis().claim(request, began + seconds{8}), reply);
    scene.poll();
    server.kill();
    scene.run_until([&] { return reply.has_value(); });
    CHECK(steady_clock::now() - began < seconds{4});
    CHECK(reply->error() == StoreErrc::lost);
}

TEST_CASE("a connection that was cut while idle is replaced before anybody notices") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    const auto claim = scene.win(request);
    server.command({"CLIENT", "KILL", "TYPE", "normal"});
    scene.run_until([&] { return scene.events.noticed("store_disconnected"); });
    CHECK(scene.apply(command(request, claim, Complete{test::response()}), milliseconds{500}).value().verdict ==
          CommandVerdict::applied);
}

TEST_CASE("with full memory a claim is rejected, while answers are recorded and replayed") {
    RedisServer server;
    RedisScene scene(server.tcp());
    const auto done = claim_request(1, 10);
    scene.complete(done);
    const auto running = claim_request(2, 20);
    const auto claim = scene.win(running);
    server.command({"CONFIG", "SET", "maxmemory", "1"});
    const auto refused_claim = scene.claim(claim_request(3, 30));
    REQUIRE(refused_claim.has_error());
    CHECK(refused_claim.error() == StoreErrc::rejected);
    CHECK_FALSE(may_have_been_written(refused_claim.error()));
    CHECK(scene.events.noticed("store_refused: OOM "));
    CHECK(server.command({"EXISTS", key_of(claim_request(3, 30))}) == "0");
    CHECK(std::get<Existing>(scene.claim(claim_request(1, 11)).value()).record.response->body == "made");
    CHECK(scene.apply(command(running, claim, Renew{})).value().verdict == CommandVerdict::applied);
    CHECK(scene.apply(command(running, claim, Complete{test::response()})).value().verdict == CommandVerdict::applied);
    CHECK(scene.ping().error() == StoreErrc::rejected);
    server.command({"CONFIG", "SET", "maxmemory", "0"});
    CHECK(scene.win(claim_request(3, 31)).attempt.value == 1);
}

TEST_CASE("a server that is busy with somebody's script is away until the script ends") {
    RedisServer server({"--busy-reply-threshold", "1"});
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    std::string ended;
    std::thread script([&] { ended = server.command({"EVAL", "while true do end", "0"}); });
    scene.run_until([&] { return !scene.ping(milliseconds{500}); });
    const auto reply = scene.claim(claim_request(1, 10), milliseconds{500});
    REQUIRE(reply.has_error());
    CHECK(reply.error() == StoreErrc::unavailable);
    CHECK_FALSE(may_have_been_written(reply.error()));
    server.command({"SCRIPT", "KILL"});
    script.join();
    CHECK(ended.find("killed") != std::string::npos);
    CHECK(win_when_back(scene, claim_request(2, 20)).attempt.value == 1);
    CHECK(server.command({"EXISTS", key_of(claim_request(1, 10))}) == "0");
}

TEST_CASE("a server that still loads its data is away until it has them") {
    RedisServer server(
        {"--enable-debug-command", "yes", "--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024"});
    RedisScene scene(server.tcp());
    const auto request = claim_request(1, 10);
    scene.complete(request);
    server.command({"DEBUG", "POPULATE", "1500"});
    server.command({"SAVE"});
    server.kill();
    server.start(RedisServer::Wait::until_it_listens);
    bool was_loading = false;
    std::optional<Result<ClaimReply>> reply;
    scene.run_until([&] {
        reply = scene.claim(claim_request(1, 11), milliseconds{500});
        was_loading = was_loading || scene.events.noticed("LOADING") || reply->has_error();
        return reply->has_value();
    });
    CHECK(was_loading);
    // Never absent meanwhile: the record is found once the data are there.
    CHECK(std::get<Existing>(**reply).record.response->body == "made");
}

TEST_CASE("a replica is not taken for an empty store") {
    RedisServer server;
    RedisScene scene(server.tcp());
    REQUIRE(scene.ping());
    server.command({"REPLICAOF", "127.0.0.1", "1"});
    CHECK(scene.claim(claim_request(1, 10), milliseconds{500}).error() == StoreErrc::unavailable);
    CHECK_FALSE(scene.ping(milliseconds{500}));
    server.command({"REPLICAOF", "NO", "ONE"});
    CHECK(win_when_back(scene, claim_request(2, 20)).attempt.value == 1);
}

TEST_CASE("a server with a password wants it") {
    RedisServer server({"--requirepass", "s3cret"});
    server.log_in_with("s3cret");
    auto options = server.tcp();
    SECTION("the right one") {
        options.redis.password = "s3cret";
        RedisScene scene(options);
        CHECK(scene.win(claim_request(1, 10)).attempt.value == 1);
    }
    SECTION("none") {
        RedisScene scene(options);
        CHECK(scene.claim(claim_request(1, 10), milliseconds{500}).error() == StoreErrc::unavailable);
    }
    SECTION("a wrong one, which is told without the password") {
        options.redis.password = "wr0ng";
        RedisScene scene(options);
        CHECK(scene.claim(claim_request(1, 10), milliseconds{500}).error() == StoreErrc::unavailable);
        CHECK(scene.events.noticed("WRONGPASS"));
        CHECK_FALSE(scene.events.noticed("wr0ng"));
        server.command({"CONFIG", "SET", "requirepass", "wr0ng"});
        CHECK(win_when_back(scene, claim_request(1, 11)).attempt.value == 1);
    }
    SECTION("a new one, from the next connection on") {
        options.redis.password = "s3cret";
        RedisScene scene(options);
        CHECK(scene.win(claim_request(1, 10)).attempt.value == 1);
        server.command({"CONFIG", "SET", "requirepass", "n3w"});
        CHECK(scene.win(claim_request(2, 20)).attempt.value == 1);
        server.log_in_with("n3w");
        scene.redis().set_password("n3w");
        server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
        CHECK(win_when_back(scene, claim_request(3, 30)).attempt.value == 1);
    }
}

TEST_CASE("a user of the access list can do no more than it may") {
    RedisServer server;
    auto options = server.tcp();
    options.redis.user = "onceward";
    options.redis.password = "pw";
    SECTION("with what the store needs") {
        server.command({"ACL",      "SETUSER",      "onceward", "on",    ">pw",          "~test:*",  "&test:*",    "+eval",
                        "+evalsha", "+script|load", "+time",    "+get",  "+set",         "+del",     "+pexpireat", "+hget",
                        "+hset",    "+hgetall",     "+hlen",    "+scan", "+unsubscribe", "+publish", "+subscribe"});
        RedisScene scene(options);
        scene.complete(claim_request(1, 10));
        CHECK(std::holds_alternative<Existing>(scene.claim(claim_request(1, 11)).value()));
        const auto lost = scene.win(claim_request(2, 10));
        server.command({"FLUSHALL"});
        CHECK(scene.apply(command(claim_request(2, 10), lost, Renew{})).value().verdict == CommandVerdict::rewritten);
        CHECK(scene.ping());
        const auto deadline = std::chrono::steady_clock::now() + seconds{5};
        const ContentPiece piece{
            {claim_request(2, 10).id, lost.fence}, claim_request(2, 10).route, lost.owner, 0, "all of it", seconds{60}};
        CHECK(scene.wait(scene.redis().append(piece, deadline)).value() == PieceVerdict::appended);
        CHECK(scene.wait(scene.redis().read_piece({piece.of, piece.route, 0}, deadline)).value() == "all of it");
        auto large = test::response(200, {});
        large.bytes_in_pieces = piece.bytes.size();
        CHECK(scene.apply(command(claim_request(2, 10), lost, Complete{large})).value().verdict == CommandVerdict::applied);
        CHECK(scene.wait(scene.redis().list({}, deadline)).value().records.size() == 1);
        const auto release = test::operator_command(claim_request(2, 10), lost.fence, Release{}, Force::yes);
        CHECK(scene.wait(scene.redis().operate(release, deadline)).value().verdict == OperatorVerdict::applied);
    }
    SECTION("without scripts: rejected") {
        server.command({"ACL", "SETUSER", "onceward", "on", ">pw", "~test:*", "&test:*", "+@all", "-@scripting"});
        RedisScene scene(options);
        CHECK(scene.claim(claim_request(1, 10)).error() == StoreErrc::rejected);
    }
    SECTION("without the keys: rejected") {
        server.command({"ACL", "SETUSER", "onceward", "on", ">pw", "~other:*", "&*", "+@all"});
        RedisScene scene(options);
        CHECK(scene.claim(claim_request(1, 10)).error() == StoreErrc::rejected);
    }
    SECTION("without the right to let a key end: no piece is stored, and nothing is left of it") {
        server.command({"ACL", "SETUSER", "onceward", "on", ">pw", "~test:*", "&test:*", "+@all", "-pexpireat"});
        RedisScene scene(options);
        const auto request = claim_request(1, 10);
        const auto claim = scene.win(request);
        const ContentPiece piece{{request.id, claim.fence}, request.route, claim.owner, 0, "all of it", seconds{60}};
        const auto deadline = std::chrono::steady_clock::now() + seconds{5};
        CHECK(scene.wait(scene.redis().append(piece, deadline)).error() == StoreErrc::rejected);
        CHECK(server.command({"EXISTS", key_of(request, ":pieces:" + std::to_string(claim.fence.value))}) == "0");
    }
    SECTION("without channels: nobody is told, and nothing else is lost") {
        server.command({"ACL", "SETUSER", "onceward", "on", ">pw", "~test:*", "resetchannels", "+@all"});
        RedisScene scene(options);
        scene.complete(claim_request(1, 10));
        CHECK(std::holds_alternative<Existing>(scene.claim(claim_request(1, 11)).value()));
    }
}

TEST_CASE("a host name is resolved") {
    RedisServer server;
    auto options = server.tcp();
    options.redis.address.host = "localhost";
    RedisScene scene(options);
    CHECK(scene.win(claim_request(1, 10)).attempt.value == 1);
}

TEST_CASE("a host name that does not resolve is told, and is no answer") {
    config::Store options;
    options.redis.address = {"no-such-host.invalid", 6379, {}};
    RedisScene scene(options);
    CHECK(scene.claim(claim_request(1, 10), milliseconds{300}).error() == StoreErrc::unavailable);
}

TEST_CASE("calls under way when the store goes away end with it") {
    RedisServer server;
    std::optional<Result<ClaimReply>> reply;
    const auto request = claim_request(1, 10);
    {
        RedisScene scene(server.tcp());
        REQUIRE(scene.ping());
        server.pause();
        scene.start(scene.redis().claim(request, steady_clock::now() + seconds{5}), reply);
        scene.poll();
    }
    server.resume();
    CHECK_FALSE(reply);
}

}  // namespace onceward::contract
