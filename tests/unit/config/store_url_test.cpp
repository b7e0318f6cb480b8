#include "config/store_url.hpp"

#include "catch.hpp"
#include "onceward/config/load.hpp"

using namespace onceward::config;

namespace {

Store parse(const std::string& url) {
    const auto parsed = parse_store_url(url, "/etc/onceward");
    if (const auto* complaint = std::get_if<Complaint>(&parsed)) {
        FAIL(complaint->message);
    }
    return std::get<Store>(parsed);
}

}  // namespace

TEST_CASE("memory: keeps records in the process") {
    CHECK(parse("memory:").kind == StoreKind::memory);
}

TEST_CASE("a SQLite path counts from the configuration's directory") {
    CHECK(parse("sqlite:onceward.db").kind == StoreKind::sqlite);
    CHECK(parse("sqlite:onceward.db").sqlite_path == "/etc/onceward/onceward.db");
    CHECK(parse("sqlite:../o.db").sqlite_path == "/etc/o.db");
    CHECK(parse("sqlite:/var/lib/o.db").sqlite_path == "/var/lib/o.db");
    CHECK(parse("sqlite:onceward.db").url == "sqlite:onceward.db");
    CHECK(effective_url(parse("sqlite:onceward.db")) == "sqlite:/etc/onceward/onceward.db");
}

TEST_CASE("a Redis url names host, port, database and credentials") {
    struct Row {
        std::string url;
        std::string address;
        std::string user;
        std::string password;
        std::uint32_t database;
    };
    const auto row = GENERATE(values<Row>({{"redis://10.0.0.5", "10.0.0.5:6379", "", "", 0},
                                           {"redis://10.0.0.5:7000", "10.0.0.5:7000", "", "", 0},
                                           {"redis://cache.example:7000/", "cache.example:7000", "", "", 0},
                                           {"redis://[::1]:7000/3", "[::1]:7000", "", "", 3},
                                           {"redis://:secret@a", "a:6379", "", "secret", 0},
                                           {"redis://user:secret@a/15", "a:6379", "user", "secret", 15},
                                           {"redis://us%65r:p%40%2f%3A%25@a", "a:6379", "user", "p@/:%", 0},
                                           {"redis://user:a:b@a", "a:6379", "user", "a:b", 0},
                                           {"redis+unix:/run/redis.sock", "unix:/run/redis.sock", "", "", 0},
                                           {"redis+unix:redis.sock", "unix:/etc/onceward/redis.sock", "", "", 0}}));
    CAPTURE(row.url);
    const auto store = parse(row.url);
    CHECK(store.kind == StoreKind::redis);
    CHECK(to_text(store.redis.address) == row.address);
    CHECK(store.redis.user == row.user);
    CHECK(store.redis.password == row.password);
    CHECK(store.redis.database == row.database);
}

TEST_CASE("what is not a store is refused without a word of the url") {
    const auto url = GENERATE(values<std::string>({"",
                                                   "hunter2",
                                                   "memory",
                                                   "memory:hunter2",
                                                   "sqlite:",
                                                   "sqlite:/",
                                                   "sqlite://hunter2",
                                                   "sqlite::memory:",
                                                   "redis:hunter2",
                                                   "redis://",
                                                   "redis://:hunter2",
                                                   "redis://user@hunter2",
                                                   "redis://:@hunter2",
                                                   "redis://:hunter2@",
                                                   "redis://a:0",
                                                   "redis://a:b:c",
                                                   "redis://a/hunter2",
                                                   "redis://a/-1",
                                                   "redis://a/0/1",
                                                   "redis://a?db=1",
                                                   "redis://:%zz@hunter2",
                                                   "redis://:%4@hunter2",
                                                   "redis://:hun/ter2@a",
                                                   "redis+unix:",
                                                   "redis+unix://hunter2/x",
                                                   "http://hunter2",
                                                   "file:/hunter2"}));
    CAPTURE(url);
    const auto parsed = parse_store_url(url, "/etc/onceward");
    REQUIRE(std::holds_alternative<Complaint>(parsed));
    const auto& message = std::get<Complaint>(parsed).message;
    CHECK(message.find("expected memory:, sqlite:PATH") != std::string::npos);
    CHECK(message.find("ter2") == std::string::npos);
}

TEST_CASE("the stores of later versions are told apart from typing errors") {
    const auto url = GENERATE(
        values<std::string>({"rediss://a", "redis+sentinel://a", "redis+cluster://a", "postgres://u:p@a/b", "mysql://a"}));
    CAPTURE(url);
    const auto parsed = parse_store_url(url, "/etc/onceward");
    REQUIRE(std::holds_alternative<Complaint>(parsed));
    CHECK(std::get<Complaint>(parsed).message.find("not available in this version") != std::string::npos);
}

TEST_CASE("a password is masked, whatever it is made of") {
    CHECK(masked("redis://10.0.0.5:6379/1") == "redis://10.0.0.5:6379/1");
    CHECK(masked("redis://:secret@a:1/2") == "redis://:***@a:1/2");
    CHECK(masked("redis://user:secret@a") == "redis://user:***@a");
    CHECK(masked("redis://user:sec:r@t@a") == "redis://user:***@a");
    CHECK(masked("redis://:sec/ret@a") == "redis://:***@a");
    CHECK(masked("redis://secret@a") == "redis://***@a");
    CHECK(masked("sqlite:/var/lib/a@b.db") == "sqlite:/var/lib/a@b.db");
    CHECK(masked("memory:") == "memory:");
}
