#include "catch.hpp"
#include "loading.hpp"

using namespace onceward::config;

namespace {

const std::string every_key =
    "listen: ['127.0.0.1:1', '[::1]:2', 'unix:o.sock']\nhealth: off\njwt_verified: true\ntrusted_proxies: [10.0.0.0/8, "
    "'fd00::/8']\nforwarded: true\n"
    "threads: 2\nupstream: {url: 'unix:app.sock', connect_timeout: 1500ms, max_connections: 7}\n"
    "store: {url: 'sqlite:x.db', timeout: 1s, prefix: off}\nlimits: {header_bytes: 1000B, connections: 5}\nshutdown_grace: 90s\n"
    "log: {level: error, format: text, access: false}\nworker_id: 0\ncors: {allow: true, expose: true}\n"
    "defaults: {wait: 3s}\n"
    "routes:\n"
    "  - name: \"1e3\"\n    path: /a/{id}/**\n    methods: [POST, M-SEARCH]\n    case_sensitive: true\n    mode: off\n"
    "    key: {from: [['header:A', 'json:/a b'], cloudevents, 'path:id'], required: false, pattern: \"^[$]{1,3}\\\\$\\\"'#: "
    "x$\"}\n"
    "    scope: [host, 'query:a&b']\n    caller: []\n    fingerprint: {parts: [method, 'header:Accept'], json: canonical, "
    "ignore: [/a~1b]}\n"
    "    tombstone: 0s\n    record_body: false\n    record_headers_except: []\n    forward_key: {rename: X-Key}\n"
    "    outcomes: {profile: strict, fail: [418, 4xx], hold: []}\n    on_unknown: reforward\n    on_store_failure: forward\n"
    "    errors: {format: plain, status: {KEY_REUSED: 409}, messages: {KEY_MISSING: \"a\\n\\\"b\\\" ${HOME:-} $${X\\t\", "
    "KEY_INVALID: 'null', BODY_TOO_LARGE: '5'}}\n";

void check_round_trip(const Options& options) {
    const auto text = effective_yaml(options);
    CAPTURE(text);
    const auto again = load_text(text, "/somewhere/else.yaml");
    REQUIRE(again.errors.empty());
    CHECK(effective_yaml(again.options) == text);
    CHECK(again.options.store.sqlite_path == options.store.sqlite_path);
    CHECK(to_text(again.options.upstream.address) == to_text(options.upstream.address));
    REQUIRE(again.options.routes.size() == options.routes.size());
    for (std::size_t i = 0; i < options.routes.size(); ++i) {
        CHECK(again.options.routes[i].key.from == options.routes[i].key.from);
        CHECK(again.options.routes[i].key.pattern == options.routes[i].key.pattern);
        CHECK(again.options.routes[i].errors.messages == options.routes[i].errors.messages);
        CHECK(again.options.routes[i].outcomes.fail == options.routes[i].outcomes.fail);
        CHECK(again.options.routes[i].outcomes.hold == options.routes[i].outcomes.hold);
    }
}

}  // namespace

TEST_CASE("the effective configuration loads back to the same options") {
    const auto text = GENERATE(
        values<std::string>({smallest, smallest + "    errors: {messages: {KEY_MISSING: \"${ONCEWARD_TEST_UNSET:-x}\"}}\n",
                             "upstream: http://a\nroutes: []\n",
                             "upstream: 'http://[::1]:1'\nroutes: [{path: /a}, {path: /b}]\nworker_id: 9\n", every_key}));
    CAPTURE(text);
    const auto loaded = load(text);
    REQUIRE(errors_of(loaded).empty());
    check_round_trip(loaded.options);
}

TEST_CASE("text that looks like a variable comes back as text") {
    Options options = load(smallest).options;
    options.routes.at(0).errors.messages["KEY_MISSING"] = "${HOME} $${A:-b} ${";
    check_round_trip(options);
}

TEST_CASE("the effective configuration shows every default") {
    const auto text = effective_yaml(load(smallest).options);
    for (const auto* line : {"listen: \"0.0.0.0:8080\"\n", "threads: auto\n", "shutdown_grace: 25s\n", "  header_bytes: 64KiB\n",
                             "worker_id: auto\n", "    lease: 15s\n", "    retention: 1d\n",
                             "    caller: [header:Authorization]\n", "  - name: api-orders\n", "      pattern: null\n"}) {
        CAPTURE(line);
        CAPTURE(text);
        CHECK(text.find(line) != std::string::npos);
    }
}

TEST_CASE("a password is never shown") {
    const auto loaded = load("store: {url: 'redis://user:hunter2@a:1/2'}\nupstream: http://a:1\nroutes: [{path: /a}]\n");
    REQUIRE(errors_of(loaded).empty());
    const auto text = effective_yaml(loaded.options);
    CHECK(text.find("hunter2") == std::string::npos);
    CHECK(text.find("redis://user:***@a:1/2") != std::string::npos);
    CHECK(load(text).ok());
}

TEST_CASE("a password at the wrong place is not told in the error") {
    for (const auto* text : {"store: 'redis://user:hunter2@a'\n", "upstream: 'http://user:hunter2@a'\n",
                             "store: {url: 'redis://user:hunter2@a:x'}\n", "log: {level: 'redis://:hunter2@a'}\n",
                             "listen: 'redis://hunter2@a'\n"}) {
        CAPTURE(text);
        const auto errors = errors_of(load(text));
        CAPTURE(errors);
        CHECK(!errors.empty());
        CHECK(errors.find("hunter2") == std::string::npos);
    }
}
