#include "catch.hpp"
#include "loading.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

using namespace onceward::config;
using namespace std::chrono_literals;

namespace {

Options accepted(const std::string& text) {
    const auto loaded = load(text);
    CAPTURE(text);
    CHECK(errors_of(loaded).empty());
    return loaded.options;
}

Route accepted_route(const std::string& lines) {
    const auto options = accepted(smallest + lines);
    REQUIRE(options.routes.size() == 1);
    return options.routes[0];
}

Mode mode_of(const std::string& word) {
    return accepted_route("    mode: " + word + "\n").mode;
}

}  // namespace

TEST_CASE("the smallest file gives the defaults of the options") {
    const auto options = accepted("upstream: http://127.0.0.1:3000\nroutes:\n  - path: /api/orders\n");
    Options expected;
    expected.upstream.url = "http://127.0.0.1:3000";
    expected.upstream.address = {"127.0.0.1", 3000, {}};
    expected.store.sqlite_path = "/etc/onceward/onceward.db";
    expected.routes.emplace_back();
    expected.routes[0].name = "api-orders";
    expected.routes[0].path = "/api/orders";
    CHECK(effective_yaml(options) == effective_yaml(expected));
    CHECK(options.store.sqlite_path == expected.store.sqlite_path);
    CHECK(options.listen.size() == 1);
    CHECK(to_text(options.listen.at(0).address) == "0.0.0.0:8080");
    REQUIRE(options.health);
    CHECK(to_text(*options.health) == "0.0.0.0:9900");
}

TEST_CASE("listen is an address, a mapping, or a list of them") {
    CHECK(to_text(accepted("listen: 127.0.0.1:1\n" + smallest).listen.at(0).address) == "127.0.0.1:1");
    CHECK(to_text(accepted("listen: \"[::1]:1\"\n" + smallest).listen.at(0).address) == "[::1]:1");
    CHECK(
        to_text(accepted("listen: {address: unix:o.sock, proxy_protocol: false, tls: null}\n" + smallest).listen.at(0).address) ==
        "unix:/etc/onceward/o.sock");
    const auto several = accepted("listen:\n  - 127.0.0.1:1\n  - {address: unix:/run/o.sock}\n" + smallest).listen;
    REQUIRE(several.size() == 2);
    CHECK(to_text(several[0].address) == "127.0.0.1:1");
    CHECK(to_text(several[1].address) == "unix:/run/o.sock");
}

TEST_CASE("a listener behind a load balancer says so, and is written back as a mapping") {
    const auto options = accepted("listen: [127.0.0.1:1, {address: '127.0.0.1:2', proxy_protocol: true}]\n" + smallest);
    REQUIRE(options.listen.size() == 2);
    CHECK_FALSE(options.listen[0].proxy_protocol);
    CHECK(options.listen[1].proxy_protocol);
    const auto again = accepted(effective_yaml(options));
    CHECK(effective_yaml(again) == effective_yaml(options));
    CHECK(again.listen[1].proxy_protocol);
}

TEST_CASE("admin is an address, a mapping or off; a token is needed where others can reach it") {
    REQUIRE(accepted(smallest).admin);
    CHECK(to_text(accepted(smallest).admin->address) == "127.0.0.1:9901");
    CHECK(accepted(smallest).admin->token_file.empty());
    for (const auto* off : {"admin: off\n", "admin: 'off'\n", "admin: false\n"}) {
        CHECK_FALSE(accepted(off + smallest).admin);
    }
    for (const auto* address : {"127.8.0.1:1", "localhost:1", "[::1]:1", "unix:/run/a.sock"}) {
        CAPTURE(address);
        CHECK(to_text(accepted("admin: '" + std::string(address) + "'\n" + smallest).admin->address) == address);
        CHECK(to_text(accepted("admin: {address: '" + std::string(address) + "'}\n" + smallest).admin->address) == address);
    }
    CHECK(to_text(accepted("admin: {token_file: null}\n" + smallest).admin->address) == "127.0.0.1:9901");
}

TEST_CASE("the file of the admin tokens counts from the configuration and is read by the check") {
    const auto token = std::filesystem::temp_directory_path() / ("onceward-config-token-" + std::to_string(::getpid()));
    std::ofstream(token) << "a-token\n";
    const auto loaded = load_text("admin: {address: 0.0.0.0:9901, token_file: " + token.filename().string() + "}\n" + smallest,
                                  (token.parent_path() / "c.yaml").string());
    std::filesystem::remove(token);
    CHECK(errors_of(loaded).empty());
    REQUIRE(loaded.options.admin);
    CHECK(loaded.options.admin->token_file == token.string());
}

TEST_CASE("health is an address or off") {
    CHECK_FALSE(accepted("health: off\n" + smallest).health);
    CHECK_FALSE(accepted("health: 'off'\n" + smallest).health);
    CHECK_FALSE(accepted("health: false\n" + smallest).health);
    CHECK(to_text(accepted("health: unix:/run/h.sock\n" + smallest).health.value()) == "unix:/run/h.sock");
}

TEST_CASE("an upstream is a url or a mapping") {
    const auto mapping = accepted(
        "upstream: {url: 'unix:app.sock', connect_timeout: 2s, response_timeout: 3s, execution_timeout: 4s, idle_timeout: 5s, "
        "max_connections: 6, "
        "queue_timeout: 7s}\nroutes: [{path: /a}]\n");
    CHECK(mapping.upstream.address.unix_path == "/etc/onceward/app.sock");
    CHECK(mapping.upstream.connect_timeout == 2s);
    CHECK(mapping.upstream.response_timeout == 3s);
    CHECK(mapping.upstream.execution_timeout == 4s);
    CHECK(mapping.upstream.idle_timeout == 5s);
    CHECK(mapping.upstream.max_connections == 6);
    CHECK(mapping.upstream.queue_timeout == 7s);
    const auto text = accepted("upstream: http://orders:81\nroutes: [{path: /a}]\n");
    CHECK(to_text(text.upstream.address) == "orders:81");
    CHECK(text.upstream.url == "http://orders:81");
}

TEST_CASE("every other key of the top is read") {
    const auto options = accepted(
        "upstream: http://a:1\n"
        "jwt_verified: true\nforwarded: yes\ntrusted_proxies: [10.0.0.0/8, '::1']\nthreads: 3\nshutdown_min: 3s\nshutdown_grace: "
        "1m\nworker_id: 0\n"
        "store: {url: 'redis://u:p@h:1/2', timeout: 2s, prefix: once.1}\n"
        "limits: {header_bytes: 1KiB, header_count: 2, request_target: 3B, connections: 4, header_timeout: 5s, body_timeout: 6s, "
        "idle_timeout: 7s}\n"
        "log: {level: warn, format: text, access: false}\ncors: {allow: true, expose: true}\nroutes: [{path: /a}]\n");
    CHECK(options.jwt_verified);
    CHECK(options.forwarded);
    REQUIRE(options.trusted_proxies.size() == 2);
    CHECK(options.trusted_proxies[0].prefix_bits == 104);
    CHECK(options.trusted_proxies[1].prefix_bits == 128);
    CHECK(options.threads == 3);
    CHECK(options.shutdown_min == 3s);
    CHECK(options.shutdown_grace == 60s);
    CHECK(options.worker_id.value() == 0);
    CHECK(options.store.kind == StoreKind::redis);
    CHECK(options.store.redis.database == 2);
    CHECK(options.store.timeout == 2s);
    CHECK(options.store.prefix == "once.1");
    CHECK(options.limits.header_bytes == 1024);
    CHECK(options.limits.header_count == 2);
    CHECK(options.limits.request_target == 3);
    CHECK(options.limits.connections == 4);
    CHECK(options.limits.header_timeout == 5s);
    CHECK(options.limits.body_timeout == 6s);
    CHECK(options.limits.idle_timeout == 7s);
    CHECK(options.log.level == LogLevel::warn);
    CHECK(options.log.format == LogFormat::text);
    CHECK_FALSE(options.log.access);
    CHECK(options.cors.allow);
    CHECK(options.cors.expose);
}

TEST_CASE("auto is written where a number could stand") {
    const auto options = accepted("threads: auto\nworker_id: auto\n" + smallest);
    CHECK(options.threads == 0);
    CHECK_FALSE(options.worker_id);
}

TEST_CASE("the mode is a word, or the boolean that YAML makes of it") {
    for (const auto* word : {"off", "'off'", "false", "Off", "OFF", "no"}) {
        CAPTURE(word);
        CHECK(mode_of(word) == Mode::off);
    }
    for (const auto* word : {"enforce", "\"enforce\"", "true", "on", "ON", "yes"}) {
        CAPTURE(word);
        CHECK(mode_of(word) == Mode::enforce);
    }
}

TEST_CASE("every key of a route is read") {
    const auto route = accepted_route(
        "    name: Orders_1.x-y\n    case_sensitive: true\n    scope: ['header:X-Tenant', host]\n    caller: ['header:X-User', "
        "'jwt:sub']\n"
        "    fingerprint: {parts: [body, 'header:Accept'], json: canonical, ignore: [/ts, /a~1b/0]}\n"
        "    lease: 20s\n    retention: 48h\n    tombstone: 0s\n    unknown_retention: 1h\n    wait: 2s\n    max_request_body: "
        "2MiB\n"
        "    max_recorded_body: 3MiB\n    record_body: false\n    record_headers_except: []\n    on_unknown: reforward\n    "
        "on_store_failure: forward\n"
        "    errors: {format: plain, status: {KEY_REUSED: 409}, messages: {KEY_MISSING: \"\\u8bf7 \\\"x\\\"\\n\"}}\n");
    CHECK(route.name == "Orders_1.x-y");
    CHECK(route.methods == std::vector<std::string>{"POST"});
    CHECK(route.case_sensitive);
    CHECK(route.scope == SourceList{{SourceKind::header, "X-Tenant"}, {SourceKind::host, {}}});
    CHECK(route.caller == SourceList{{SourceKind::header, "X-User"}, {SourceKind::jwt, "sub"}});
    REQUIRE(route.fingerprint.parts.size() == 2);
    CHECK(route.fingerprint.parts[0].kind == PartKind::body);
    CHECK(route.fingerprint.parts[1].kind == PartKind::header);
    CHECK(route.fingerprint.parts[1].header == "Accept");
    CHECK(route.fingerprint.json == JsonMode::canonical);
    CHECK(route.fingerprint.ignore == std::vector<std::string>{"/ts", "/a~1b/0"});
    CHECK(route.lease == 20s);
    CHECK(route.retention == 48h);
    CHECK(route.tombstone == 0s);
    CHECK(route.unknown_retention == 1h);
    CHECK(route.wait == 2s);
    CHECK(route.max_request_body == 2 * mib);
    CHECK(route.max_recorded_body == 3 * mib);
    CHECK_FALSE(route.record_body);
    CHECK(route.record_headers_except.empty());
    CHECK(route.on_unknown == OnUnknown::reforward);
    CHECK(route.on_store_failure == OnStoreFailure::forward);
    CHECK(route.errors.format == ErrorFormat::plain);
    CHECK(route.errors.status.at("KEY_REUSED") == 409);
    CHECK(route.errors.messages.at("KEY_MISSING") == "\xe8\xaf\xb7 \"x\"\n");
}

TEST_CASE("a key comes from alternatives, joined lists and presets") {
    using List = std::vector<SourceList>;
    CHECK(accepted_route("    key: {from: ['header:A', 'query:b']}\n").key.from ==
          List{{{SourceKind::header, "A"}}, {{SourceKind::query, "b"}}});
    CHECK(accepted_route("    key: {from: [['header:A', 'json:/b']]}\n").key.from ==
          List{{{SourceKind::header, "A"}, {SourceKind::json, "/b"}}});
    CHECK(accepted_route("    key: {from: stripe}\n").key.from == List{{{SourceKind::json, "/id"}}});
    CHECK(accepted_route("    key: {from: [github, 'header:A']}\n").key.from ==
          List{{{SourceKind::header, "X-GitHub-Delivery"}}, {{SourceKind::header, "A"}}});
    CHECK(accepted_route("    key: {from: cloudevents}\n").key.from.size() == 2);
    const auto key = accepted_route("    key: {required: false, pattern: '^[a-z]{3}$', issued: false}\n").key;
    CHECK_FALSE(key.required);
    CHECK(key.pattern.value() == "^[a-z]{3}$");
    CHECK_FALSE(accepted_route("    key: {pattern: null}\n").key.pattern);
}

TEST_CASE("a segment of the path may be a source") {
    const auto options = accepted("upstream: http://a:1\nroutes:\n  - path: /a/{id}/pay\n    scope: ['path:id']\n");
    CHECK(options.routes.at(0).scope.at(0).kind == SourceKind::path);
    CHECK(options.routes.at(0).name == "a-id-pay");
}

TEST_CASE("a token's claim may be the only caller where something in front verifies tokens") {
    CHECK(accepted("jwt_verified: true\n" + smallest + "    caller: ['jwt:sub']\n").routes.at(0).caller.at(0).kind ==
          SourceKind::jwt);
}

TEST_CASE("a forwarded key is kept, stripped or renamed") {
    CHECK(accepted_route("    forward_key: keep\n").forward_key.kind == ForwardKey::Kind::keep);
    CHECK(accepted_route("    forward_key: strip\n").forward_key.kind == ForwardKey::Kind::strip);
    for (const auto* form : {"{rename: X-Key}", "\"rename: X-Key\"", "\n      rename: X-Key"}) {
        CAPTURE(form);
        const auto forward = accepted_route("    forward_key: " + std::string(form) + "\n").forward_key;
        CHECK(forward.kind == ForwardKey::Kind::rename);
        CHECK(forward.name == "X-Key");
    }
}

TEST_CASE("a list of outcomes that is not given is the profile's") {
    const auto strict = accepted_route("    outcomes: {profile: strict}\n").outcomes;
    CHECK(strict.hold == outcomes_of(OutcomeProfile::strict).hold);
    const auto own = accepted_route("    outcomes: {fail: [409, 5xx, '418'], profile: stripe}\n").outcomes;
    CHECK(own.profile == OutcomeProfile::stripe);
    CHECK(own.hold == outcomes_of(OutcomeProfile::stripe).hold);
    CHECK(own.fail.contains(409));
    CHECK(own.fail.contains(418));
    CHECK(own.fail.contains(500));
    CHECK_FALSE(own.fail.contains(429));
    const auto none = accepted_route("    outcomes: {fail: [], hold: []}\n").outcomes;
    CHECK(none.fail == StatusSet{});
    CHECK(none.hold == StatusSet{});
}

TEST_CASE("a route's name is derived from its path") {
    struct Row {
        std::string path;
        std::string name;
    };
    const auto row = GENERATE(values<Row>({{"/api/orders", "api-orders"},
                                           {"/api/orders/{id}", "api-orders-id"},
                                           {"/api/**", "api"},
                                           {"/", "root"},
                                           {"/**", "root"},
                                           {"/a_b.c/", "a_b.c"},
                                           {"/" + std::string(100, 'x'), std::string(64, 'x')}}));
    CAPTURE(row.path);
    CHECK(accepted("upstream: http://a:1\nroutes: [{path: \"" + row.path + "\"}]\n").routes.at(0).name == row.name);
}

TEST_CASE("keys of later versions may say what this one does") {
    accepted(
        "shutdown_min: 0s\ntokens: {path: null, ttl: 10m, stateless_key_file: null}\nids: {path: null}\n"
        "upstream: http://a:1\n"
        "store: {url: 'memory:', backstop: null, cache: 0, spool: null, redis: {wait_replicas: 0, quarantine: 0s}, id_key_file: "
        "null, encryption: {key_file: "
        "null}}\n"
        "routes:\n  - path: /a\n    kind: request\n    group: null\n    early_ack: null\n    key: {issued: false}\n    probe: "
        "null\n    replay_auth: null\n");
}
