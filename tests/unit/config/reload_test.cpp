#include "onceward/config/reload.hpp"

#include "catch.hpp"
#include "loading.hpp"

#include <algorithm>

using namespace onceward::config;

namespace {

Options options_of(const std::string& text) {
    auto loaded = load(text);
    REQUIRE(errors_of(loaded).empty());
    return loaded.options;
}

std::string joined(const std::vector<std::string>& list) {
    std::string out;
    for (const auto& entry : list) {
        out += entry + "\n";
    }
    return out;
}

const std::string head = "upstream: http://127.0.0.1:3000\nstore: {url: 'memory:'}\n";

Comparison compare_routes(const std::string& before, const std::string& after) {
    return compare(options_of(head + "routes:\n" + before), options_of(head + "routes:\n" + after));
}

const std::string orders = "  - {name: orders, path: /orders}\n";

}  // namespace

TEST_CASE("a configuration is the same as itself, however it is spelt") {
    CHECK(compare(options_of(smallest), options_of(smallest)).same());
    CHECK(compare(options_of(smallest), options_of("# a remark\nthreads: auto\n" + smallest + "    wait: 0s\n")).same());
}

TEST_CASE("each key says whether its new value holds at once") {
    struct Row {
        std::string line;
        std::string live;
        std::string at_start;
    };
    const auto row = GENERATE(values<Row>({
        {"listen: '127.0.0.1:1'\n", "", "listen\n"},
        {"health: off\n", "", "health\n"},
        {"admin: off\n", "", "admin\n"},
        {"threads: 3\n", "", "threads\n"},
        {"worker_id: 3\n", "", "worker_id\n"},
        {"jwt_verified: true\n", "jwt_verified\n", ""},
        {"trusted_proxies: [10.0.0.0/8]\n", "trusted_proxies\n", ""},
        {"forwarded: true\n", "forwarded\n", ""},
        {"limits: {header_bytes: 1KiB, connections: 7}\n", "limits.header_bytes\nlimits.connections\n", ""},
        {"shutdown_min: 3s\nshutdown_grace: 4s\n", "shutdown_min\nshutdown_grace\n", ""},
        {"log: {level: debug, format: text, access: false}\n", "log.level\nlog.format\nlog.access\n", ""},
        {"cors: {allow: true}\n", "cors.allow\n", ""},
        {"defaults: {wait: 2s}\n", "routes[api-orders].wait\n", ""},
    }));
    CAPTURE(row.line);
    const auto found = compare(options_of(smallest), options_of(row.line + smallest));
    CHECK(joined(found.live) == row.live);
    CHECK(joined(found.at_start) == row.at_start);
    CHECK(found.refused.empty());
    CHECK(found.warnings.empty());
}

TEST_CASE("another password of the store holds at once, another place does not") {
    struct Row {
        std::string before;
        std::string after;
        std::string live;
        std::string at_start;
        std::string password;  ///< that is gone by
    };
    const auto row = GENERATE(values<Row>({
        {"redis://u:old@h/1", "redis://u:new@h/1", "store.url (password)\n", "", "new"},
        {"redis://h", "redis://:new@h", "store.url (password)\n", "", "new"},
        {"redis://:old@h", "redis://h", "store.url (password)\n", "", ""},
        {"redis://h", "redis://h:6379/0", "", "", ""},
        {"redis://:old@h", "redis://:new@i", "", "store.url\n", "old"},
        {"redis://u:old@h", "redis://v:new@h", "", "store.url\n", "old"},
        {"redis://:old@h/1", "redis://:new@h/2", "", "store.url\n", "old"},
        {"redis://:old@h", "memory:", "", "store.url\n", "old"},
    }));
    CAPTURE(row.before, row.after);
    const auto with = [](const std::string& url) {
        return options_of("upstream: http://127.0.0.1:3000\nstore: {url: '" + url + "'}\nroutes: [" + orders.substr(4) + "]\n");
    };
    const auto running = with(row.before);
    const auto found = compare(running, with(row.after));
    CHECK(joined(found.live) == row.live);
    CHECK(joined(found.at_start) == row.at_start);
    const auto taken = taken_live(running, with(row.after));
    CHECK(taken.store.redis.password == row.password);
    CHECK(taken.store.kind == running.store.kind);
    CHECK(taken.store.redis.database == running.store.redis.database);
}

TEST_CASE("the upstream changes as a whole while the process runs") {
    const auto found = compare(options_of(smallest), options_of("upstream: {url: 'http://127.0.0.1:3001', connect_timeout: 3s, "
                                                                "response_timeout: 4s, execution_timeout: 6m, idle_timeout: 7s, "
                                                                "max_connections: 8, queue_timeout: 9s}\n" +
                                                                smallest.substr(smallest.find("store"))));
    CHECK(joined(found.live) ==
          "upstream.url\nupstream.connect_timeout\nupstream.response_timeout\nupstream.execution_timeout\nupstream.idle_timeout\n"
          "upstream.max_connections\nupstream.queue_timeout\n");
    CHECK(found.at_start.empty());
}

TEST_CASE("the store is opened by a start alone, but its time limit changes") {
    const auto found =
        compare(options_of(smallest),
                options_of("upstream: http://127.0.0.1:3000\nstore: {url: 'redis://:pw@r:1/2', timeout: 1s, prefix: "
                           "other}\nroutes: [{path: /api/orders, methods: [POST]}]\n"));
    CHECK(joined(found.live) == "store.timeout\n");
    CHECK(joined(found.at_start) == "store.url\nstore.prefix\n");
}

TEST_CASE("what is taken is the new configuration, but for what only a start reads") {
    const auto running = options_of(smallest);
    const auto next = options_of(
        "listen: ['127.0.0.1:1', 'unix:/x']\nhealth: off\nthreads: 3\nworker_id: 4\nlimits: {connections: 5}\n"
        "log: {level: error}\nupstream: http://b\nstore: {url: 'sqlite:x.db', timeout: 1s, prefix: other}\n"
        "routes: [{path: /other}]\n");
    const auto taken = taken_live(running, next);
    const auto left = compare(taken, next);
    CHECK(left.live.empty());
    CHECK(joined(left.at_start) == "listen\nhealth\nthreads\nstore.url\nstore.prefix\nworker_id\n");
    const auto done = compare(running, taken);
    CHECK(done.at_start.empty());
    CHECK(joined(done.live) ==
          "upstream.url\nstore.timeout\nlimits.connections\nlog.level\nroutes[other] (new)\n"
          "routes[api-orders] (removed)\n");
    CHECK(taken.store.sqlite_path.empty());
    CHECK(taken.store.kind == StoreKind::memory);
}

TEST_CASE("a route comes and goes; what it guarded and nothing guards now is a warning") {
    const auto added = compare_routes(orders, orders + "  - {name: refunds, path: /refunds}\n");
    CHECK(joined(added.live) == "routes[refunds] (new)\n");
    CHECK(added.refused.empty());
    CHECK(added.warnings.empty());
    const auto removed = compare_routes(orders + "  - {name: refunds, path: /refunds}\n", orders);
    CHECK(joined(removed.live) == "routes[refunds] (removed)\n");
    CHECK(removed.refused.empty());
    CHECK(joined(removed.warnings) ==
          "routes[refunds]: guards PATCH /refunds no longer; keys that are remembered of it protect nothing now\n");
}

TEST_CASE("the order of routes is a change; it is refused where a target would go to another route") {
    const std::string wide = "  - {name: all, path: '/**'}\n";
    const std::string refunds = "  - {name: refunds, path: /refunds}\n";
    const auto harmless = compare_routes(orders + refunds, refunds + orders);
    CHECK(joined(harmless.live) == "routes (order)\n");
    CHECK(harmless.refused.empty());
    const auto harmful = compare_routes(orders + wide, wide + orders);
    CHECK(joined(harmful.refused) ==
          "routes[all]: it would take what routes[orders] takes, such as PATCH /orders: a retry would name another record and "
          "could "
          "execute again\n");
}

TEST_CASE("what would change the meaning of a remembered key is refused and named") {
    struct Row {
        std::string before;
        std::string after;
        std::string refused;  ///< its beginning
    };
    const auto row = GENERATE(values<Row>({
        {"key: {from: ['header:A']}", "key: {from: ['header:B']}", "routes[orders].key.from: "},
        {"key: {from: ['header:A']}", "key: {from: ['header:A', 'header:B']}", "routes[orders].key.from: "},
        {"key: {from: ['header:A', 'header:B']}", "key: {from: ['header:B', 'header:A']}", "routes[orders].key.from: "},
        {"key: {from: [['header:A', 'header:B']]}", "key: {from: [['header:B', 'header:A']]}", "routes[orders].key.from: "},
        {"scope: []", "scope: [host]", "routes[orders].scope: "},
        {"scope: ['header:A', host]", "scope: [host, 'header:A']", "routes[orders].scope: "},
        {"key: {from: [derived]}", "key: {from: [derived]}, fingerprint: {parts: [body]}", "routes[orders].fingerprint: "},
        {"key: {from: [derived]}", "key: {from: [derived]}, fingerprint: {json: canonical}", "routes[orders].fingerprint: "},
        {"scope: [derived]", "scope: [derived], case_sensitive: true", "routes[orders].fingerprint: "},
    }));
    CAPTURE(row.before, row.after);
    const auto found = compare_routes("  - {name: orders, path: /orders, " + row.before + "}\n",
                                      "  - {name: orders, path: /orders, " + row.after + "}\n");
    REQUIRE(found.refused.size() == 1);
    CHECK(found.refused[0].substr(0, row.refused.size()) == row.refused);
}

TEST_CASE("what leaves the meaning of a remembered key alone changes live") {
    const auto change = GENERATE(values<std::string>(
        {"key: {from: ['header:idempotency-KEY']}, wait: 1s", "key: {required: false}", "key: {pattern: 'a+'}", "caller: []",
         "fingerprint: {parts: [body], json: canonical}", "lease: 20s, retention: 48h, tombstone: 0s, unknown_retention: 1h",
         "max_request_body: 1KiB, max_recorded_body: 1KiB, record_body: false, record_headers_except: [A]",
         "forward_key: strip, outcomes: {profile: strict}, on_unknown: reforward, on_store_failure: forward",
         "errors: {format: plain, status: {KEY_REUSED: 409}}", "methods: [POST, PATCH, PUT]"}));
    CAPTURE(change);
    const auto found = compare_routes(orders, "  - {name: orders, path: /orders, " + change + "}\n");
    CHECK_FALSE(found.live.empty());
    CHECK(found.refused.empty());
    CHECK(found.at_start.empty());
}

TEST_CASE("a key or scope that is read from a forwarded field depends on whose it is believed") {
    const auto with = [](const std::string& networks, const std::string& source) {
        return options_of("trusted_proxies: " + networks + "\n" + head + "routes: [{name: orders, path: /orders, scope: ['" +
                          source + "']}]\n");
    };
    CHECK(compare(with("[10.0.0.0/8]", "header:X-Forwarded-Host"), with("[]", "header:X-Forwarded-Host")).refused.size() == 1);
    CHECK(compare(with("[10.0.0.0/8]", "header:X-Tenant"), with("[]", "header:X-Tenant")).refused.empty());
}

namespace {

constexpr onceward::Deadline start{};

/// What a process knows that has run by each of these routes in turn, the last of them now.
struct Process {
    Options running;
    std::vector<FormerRoutes> former;
    onceward::Deadline now = start;

    explicit Process(const std::string& routes) : running(options_of(head + routes)) {}

    /// Takes other routes. What it was warned of.
    std::string takes(const std::string& routes) {
        const auto next = options_of(head + routes);
        const auto found = compare(running, next, former);
        REQUIRE(joined(found.refused).empty());
        former = retire(former, running, next, now);
        running = next;
        return joined(found.warnings);
    }
};

const std::string none = "routes: [{name: elsewhere, path: /elsewhere}]\n";

std::string only(const std::string& route) {
    return none.substr(0, none.size() - 2) + ", {" + route + "}]\n";
}

const std::string another_record = ": a retry would name another record and could execute again\n";
const std::string left_behind =
    "routes[purchases]: it guards what routes[orders] guarded before, such as PATCH /orders, and does not find the keys that are "
    "remembered of routes[orders]" +
    another_record;

}  // namespace

TEST_CASE("a route that gets another name in two steps leaves its keys behind, and each step is a warning") {
    struct Row {
        std::string before;
        std::string between;
        std::string after;
        std::string warning;
    };
    const auto row = GENERATE(values<Row>({
        {"name: orders, path: /orders", "", "name: purchases, path: /orders", left_behind},
        {"name: orders, path: /orders", "name: orders, path: /orders, mode: off", "name: purchases, path: /orders", left_behind},
        {"name: orders, path: /orders", "name: orders, path: /orders/new",
         "name: orders, path: /orders/new}, {name: purchases, path: /orders", left_behind},
        {"name: orders, path: /orders", "", "name: purchases, path: '/**'", left_behind},
        {"name: orders, path: /orders", "", "name: orders, path: /orders, scope: [host]",
         "routes[orders].scope: the scope of a key would be another" + another_record},
        {"name: orders, path: '/{a}/{b}', key: {from: ['path:a']}", "", "name: orders, path: '/{b}/{a}', key: {from: ['path:a']}",
         "routes[orders].path: its key or scope is read from another segment of PATCH /elsewhere/x than when it was guarded "
         "before" +
             another_record},
        {"name: orders, path: /orders", "", "name: orders, path: /orders, wait: 1s", ""},
        {"name: orders, path: /orders", "", "name: purchases, path: /purchases", ""},
        {"name: orders, path: /orders, methods: [POST]", "", "name: purchases, path: /orders, methods: [PUT]", ""},
    }));
    CAPTURE(row.before, row.between, row.after);
    Process process(only(row.before));
    const auto told = process.takes(row.between.empty() ? none : only(row.between));
    CHECK(told.find("routes[orders]: guards ") == 0);
    CHECK(told.find(" no longer; keys that are remembered of it protect nothing now\n") != std::string::npos);
    CHECK(process.takes(only(row.after)) == row.warning);
    CHECK(process.takes(only(row.after + ", lease: 16s")).empty());
}

TEST_CASE("a target that another route took before is not told of when a wider one goes") {
    Process process("routes: [{name: orders, path: /orders}, {name: all, path: '/**'}]\n");
    CHECK_FALSE(process.takes("routes: [{name: orders, path: /orders}]\n").empty());
    CHECK(process.takes("routes: [{name: orders, path: /orders, wait: 1s}]\n").empty());
}

TEST_CASE("routes that guard no more are known until their keys are forgotten") {
    const auto remembered = std::chrono::hours{(3 + 7) * 24};  // unknown_retention and tombstone
    Process process(only("name: orders, path: /orders"));
    process.takes(none);
    REQUIRE(process.former.size() == 1);
    CHECK(process.former[0].until == start + remembered);
    process.now = start + remembered - std::chrono::seconds{1};
    process.takes(only("name: far, path: /far"));
    CHECK(process.former.size() == 1);
    process.now = start + remembered;
    process.takes(only("name: far, path: /far, wait: 1s"));
    CHECK(process.former.empty());
}

TEST_CASE("a route that comes back under its name is no former one, and only so many are known") {
    Process process(only("name: orders, path: /orders"));
    process.takes(none);
    CHECK(process.takes(only("name: orders, path: /orders")).empty());
    CHECK(process.former.empty());
    for (int n = 0; n < 20; ++n) {
        process.takes(only("name: r" + std::to_string(n) + ", path: /r" + std::to_string(n)));
    }
    CHECK(process.former.size() == former_routes_max);
    CHECK(process.takes(only("name: other, path: /r18")).find("routes[other]: it guards what routes[r18] guarded before") !=
          std::string::npos);
}
