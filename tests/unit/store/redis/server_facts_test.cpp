#include "store/redis/server_facts.hpp"

#include "catch.hpp"

namespace onceward::store::redis {

namespace {

const std::string info =
    "# Server\r\nredis_version:7.0.15\r\nrun_id:0123\r\ntcp_port:6379\r\n\r\n# "
    "Memory\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n"
    "\r\n# Persistence\r\naof_enabled:0\r\n\r\n# Replication\r\nrole:master\r\nconnected_slaves:0\r\nmaster_replid:aa\r\n"
    "master_replid2:0000\r\n";

std::string events(const ServerFacts& facts) {
    std::string all;
    for (const auto& advice : advise(facts)) {
        all += std::string(advice.event) + ";";
    }
    return all;
}

ServerFacts safe() {
    ServerFacts facts;
    facts.run_id = "r1";
    facts.replication_id = "h1";
    facts.previous_replication_id = "0000";
    facts.eviction_policy = "noeviction";
    facts.append_only = true;
    facts.save_points = "3600 1";
    facts.replicas = 1;
    return facts;
}

}  // namespace

TEST_CASE("INFO is read") {
    const auto facts = parse_info(info);
    CHECK(facts.run_id == "0123");
    CHECK(facts.replication_id == "aa");
    CHECK(facts.previous_replication_id == "0000");
    CHECK(facts.eviction_policy == "allkeys-lru");
    CHECK(facts.append_only == false);
    CHECK(facts.replicas == 0);
}

TEST_CASE("what is not said is not known") {
    for (const auto* text : {"", "\r\n", "no colon\r\n", "connected_slaves:many\r\n"}) {
        const auto facts = parse_info(text);
        CHECK(facts.run_id.empty());
        CHECK_FALSE(facts.append_only);
        CHECK_FALSE(facts.replicas);
        CHECK(advise(facts).empty());
    }
}

TEST_CASE("each setting that can lose records is named") {
    CHECK(events(safe()).empty());
    auto facts = safe();
    SECTION("eviction") {
        facts.eviction_policy = "allkeys-lru";
        CHECK(events(facts) == "store_evicts;");
        CHECK(advise(facts).front().detail.find("allkeys-lru") != std::string::npos);
    }
    SECTION("no persistence") {
        facts.append_only = false;
        facts.save_points = "";
        CHECK(events(facts) == "store_not_persistent;");
    }
    SECTION("perhaps no persistence") {
        facts.append_only = false;
        facts.save_points.reset();
        CHECK(events(facts) == "store_not_persistent;");
    }
    SECTION("snapshots alone") {
        facts.append_only = false;
        CHECK(events(facts) == "store_snapshots_only;");
    }
    SECTION("no replica") {
        facts.replicas = 0;
        CHECK(events(facts) == "store_not_replicated;");
    }
}

TEST_CASE("another run id is a loss that may be, told once") {
    LossDetector losses;
    auto facts = safe();
    losses.on_server(facts);
    losses.on_server(facts);
    CHECK_FALSE(losses.take_loss());
    facts.run_id = "r2";
    losses.on_server(facts);
    CHECK(losses.take_loss());
    losses.on_server(facts);
    CHECK_FALSE(losses.take_loss());
}

TEST_CASE("another replication id is a loss only when the server was promoted") {
    LossDetector losses;
    auto facts = safe();
    losses.on_server(facts);
    // A server that had no replica for an hour begins a new history.
    facts.replication_id = "h2";
    losses.on_server(facts);
    CHECK_FALSE(losses.take_loss());
    facts.replication_id = "h3";
    facts.previous_replication_id = "h2";
    losses.on_server(facts);
    CHECK(losses.take_loss());
    losses.on_server(facts);
    CHECK_FALSE(losses.take_loss());
}

TEST_CASE("an epoch mark that is gone or another is a loss; one that was never seen is not") {
    LossDetector losses;
    losses.on_mark(std::nullopt);
    losses.on_mark("m1");
    losses.on_mark("m1");
    CHECK_FALSE(losses.take_loss());
    SECTION("gone") {
        losses.on_mark(std::nullopt);
        CHECK(losses.take_loss());
    }
    SECTION("another") {
        losses.on_mark("m2");
        CHECK(losses.take_loss());
    }
    losses.on_mark("m2");
    CHECK_FALSE(losses.take_loss());
}

TEST_CASE("a restart that lost the mark is one loss, and the next one another") {
    LossDetector losses;
    auto facts = safe();
    losses.on_server(facts);
    losses.on_mark("m1");
    CHECK_FALSE(losses.take_loss());
    facts.run_id = "r2";
    losses.on_server(facts);
    SECTION("both seen in one look: the mark says more") {
        losses.on_mark(std::nullopt);
        CHECK(losses.take_loss()->find("epoch") != std::string::npos);
    }
    SECTION("the mark could not be asked for at once") {
        CHECK(losses.take_loss()->find("run id") != std::string::npos);
        CHECK_FALSE(losses.take_loss());
        losses.on_mark(std::nullopt);
    }
    SECTION("the mark is as it was: only what was not yet saved can be lost") {
        losses.on_mark("m1");
        CHECK(losses.take_loss()->find("run id") != std::string::npos);
        losses.on_mark(std::nullopt);
        CHECK(losses.take_loss()->find("epoch") != std::string::npos);
    }
    CHECK_FALSE(losses.take_loss());
    losses.on_mark("m2");
    CHECK_FALSE(losses.take_loss());
    losses.on_mark(std::nullopt);
    CHECK(losses.take_loss()->find("epoch") != std::string::npos);
}

}  // namespace onceward::store::redis
