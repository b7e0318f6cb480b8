#include "catch.hpp"
#include "loading.hpp"

#include <algorithm>

using namespace onceward::config;

namespace {

/// Line 1 to 3; what follows is line 4.
const std::string base =
    "upstream: http://127.0.0.1:3000\n"
    "routes:\n"
    "  - path: /api/orders\n";

struct Row {
    std::string text;      ///< appended to the base
    std::string expected;  ///< place and path, and the beginning of the message
};

void check_refused(const std::string& text, const std::string& expected) {
    CAPTURE(text);
    const auto errors = errors_of(load(text));
    CAPTURE(errors);
    CHECK(errors.compare(0, expected.size(), expected) == 0);
    CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("a file without its parts is refused") {
    CHECK(errors_of(load("")) == "c.yaml:1:1: expected a mapping of keys to values, found null\n");
    CHECK(errors_of(load("- a\n")) == "c.yaml:1:1: expected a mapping of keys to values, found a list\n");
    CHECK(errors_of(load("text\n")) == "c.yaml:1:1: expected a mapping of keys to values, found \"text\"\n");
    check_refused("routes: [{path: /a}]\n", "c.yaml:1:1: upstream: missing: expected url or mapping");
    check_refused("upstream: http://a:1\n", "c.yaml:1:1: routes: missing: expected list of mappings");
}

TEST_CASE("unknown keys are refused with the nearest known one") {
    const auto row = GENERATE(values<Row>({
        {"nope: 1\n", "c.yaml:4:1: nope: unknown key \"nope\": "},
        {"limts: {}\n", "c.yaml:4:1: limts: unknown key \"limts\": did you mean \"limits\"?\n"},
        {"Limits: {}\n", "c.yaml:4:1: Limits: unknown key \"Limits\": did you mean \"limits\"?\n"},
        {"store: {tiemout: 1s}\n", "c.yaml:4:9: store.tiemout: unknown key \"tiemout\": did you mean \"timeout\"?\n"},
        {"log:\n  lvl: info\n", "c.yaml:5:3: log.lvl: unknown key \"lvl\": did you mean \"level\"?\n"},
        {"log:\n  xyzzyplugh: info\n",
         "c.yaml:5:3: log.xyzzyplugh: unknown key \"xyzzyplugh\": expected level, format or access\n"},
        {"tokens: {pth: null}\n", "c.yaml:4:10: tokens.pth: unknown key \"pth\": did you mean \"path\"?\n"},
        {"    leese: 5s\n", "c.yaml:4:5: routes[0].leese: unknown key \"leese\": did you mean \"lease\"?\n"},
        {"    key: {form: [stripe]}\n", "c.yaml:4:11: routes[0].key.form: unknown key \"form\": did you mean \"from\"?\n"},
        {"\"\\e[31mx\": 1\n", "c.yaml:4:1: ?[31mx: unknown key \"?[31mx\": "},
        {"defaults: {name: x}\n", "c.yaml:4:12: defaults.name: unknown key \"name\": expected methods, "},
        {"defaults: {path: /x}\n", "c.yaml:4:12: defaults.path: unknown key \"path\": "},
    }));
    check_refused(base + row.text, row.expected);
}

TEST_CASE("what can never be a guarded method is refused") {
    for (const std::string method : {"'*'", "post", "CONNECT", "TRACE", "''", "P@ST"}) {
        const auto errors = errors_of(load("upstream: http://a:1\nroutes: [{path: /a, methods: [POST, " + method + "]}]\n"));
        INFO(method << ": " << errors);
        CHECK(errors.rfind("c.yaml:2:37: routes[0].methods[1]: ", 0) == 0);
    }
}

TEST_CASE("a number with a leading zero is not guessed at") {
    CHECK(errors_of(load("threads: 010\n" + base)).find("threads: \"010\" is not a whole number") != std::string::npos);
}

TEST_CASE("wrong types and values outside their bounds are refused") {
    const auto row = GENERATE(values<Row>({
        {"limits: null\n", "c.yaml:4:1: limits: expected a mapping of keys to values, found null"},
        {"limits:\n", "c.yaml:4:1: limits: expected a mapping of keys to values, found null"},
        {"limits: []\n", "c.yaml:4:9: limits: expected a mapping of keys to values, found a list"},
        {"limits: {header_bytes: 64}\n", "c.yaml:4:24: limits.header_bytes: \"64\" has no unit: expected a number and a unit"},
        {"limits: {header_bytes: 0B}\n", "c.yaml:4:24: limits.header_bytes: \"0B\" is zero"},
        {"limits: {header_count: 0}\n",
         "c.yaml:4:24: limits.header_count: \"0\" is out of range: expected a whole number from 1 to 10000"},
        {"limits: {header_count: -1}\n", "c.yaml:4:24: limits.header_count: \"-1\" is not a whole number"},
        {"limits: {header_count: 1.5}\n", "c.yaml:4:24: limits.header_count: \"1.5\" is not a whole number"},
        {"limits: {header_count: '100'}\n", "c.yaml:4:24: limits.header_count: expected a number from 1 to 10000, found \"100\""},
        {"limits: {connections: 99999999999}\n", "c.yaml:4:23: limits.connections: \"99999999999\" is out of range"},
        {"limits: {connections: many}\n", "c.yaml:4:23: limits.connections: expected a number from 1 to 1000000, found \"many\""},
        {"limits: {idle_timeout: 0s}\n", "c.yaml:4:24: limits.idle_timeout: \"0s\" is zero"},
        {"limits: {idle_timeout: null}\n", "c.yaml:4:10: limits.idle_timeout: expected a duration, found null"},
        {"listen: 8080\n", "c.yaml:4:9: listen: expected an address such as 0.0.0.0:8080 or unix:/path, found the number 8080"},
        {"listen: []\n", "c.yaml:4:9: listen: an empty list: expected at least one address"},
        {"listen: null\n", "c.yaml:4:1: listen: expected an address"},
        {"listen: off\n", "c.yaml:4:9: listen: \"off\" has no port"},
        {"listen: ['127.0.0.1:1', 'x:0']\n", "c.yaml:4:25: listen[1]: \"x:0\" has no port from 1 to 65535"},
        {"listen: ['127.0.0.1:1', '127.0.0.1:1']\n", "c.yaml:4:25: listen[1]: the same address twice"},
        {"listen: [{address: '0.0.0.0:1', proxy_protocol: v2}]\n",
         "c.yaml:4:49: listen[0].proxy_protocol: expected true or false, found \"v2\""},
        {"listen: {tls: null}\n", "c.yaml:4:9: listen.address: missing: expected address"},
        {"listen: {address: '127.0.0.1:1', tsl: null}\n", "c.yaml:4:34: listen.tsl: unknown key \"tsl\": did you mean \"tls\"?"},
        {"health: 9900\n", "c.yaml:4:9: health: expected an address"},
        {"health: true\n", "c.yaml:4:9: health: expected an address such as 0.0.0.0:8080 or unix:/path, found the boolean true"},
        {"health: null\n", "c.yaml:4:1: health: expected an address"},
        {"health: 0.0.0.0:8080\n", "c.yaml:4:9: health: 0.0.0.0:8080 is an address of listen too"},
        {"admin: null\n", "c.yaml:4:1: admin: expected an address"},
        {"admin: 9901\n", "c.yaml:4:8: admin: expected an address"},
        {"admin: [127.0.0.1:9901]\n", "c.yaml:4:8: admin: expected an address"},
        {"admin: 0.0.0.0:9901\n",
         "c.yaml:4:8: admin: 0.0.0.0:9901 can be reached from other hosts: expected a mapping {address, token_file}"},
        {"admin: {address: '[::]:9901'}\n", "c.yaml:4:8: admin: [::]:9901 can be reached from other hosts"},
        {"admin: {address: host.example:9901, token_file: null}\n",
         "c.yaml:4:8: admin: host.example:9901 can be reached from other hosts"},
        {"admin: {address: 127.0.0.1:9901, token_file: /nowhere/token}\n",
         "c.yaml:4:46: admin.token_file: the file \"/nowhere/token\" can't be read"},
        {"admin: {address: 127.0.0.1:9901, token_file: [a]}\n",
         "c.yaml:4:46: admin.token_file: expected the path of a file, found a list"},
        {"admin: {address: 127.0.0.1:9901, token: abc}\n",
         "c.yaml:4:34: admin.token: unknown key \"token\": expected address or token_file"},
        {"admin: 0.0.0.0:9900\n", "c.yaml:4:8: admin: 0.0.0.0:9900 is an address of health too"},
        {"admin: 0.0.0.0:8080\n", "c.yaml:4:8: admin: 0.0.0.0:8080 is an address of listen too"},
        {"jwt_verified: maybe\n", "c.yaml:4:15: jwt_verified: expected true or false, found \"maybe\""},
        {"jwt_verified: 1\n", "c.yaml:4:15: jwt_verified: expected true or false, found the number 1"},
        {"jwt_verified: 'true'\n", "c.yaml:4:15: jwt_verified: expected true or false, found \"true\""},
        {"jwt_verified:\n", "c.yaml:4:1: jwt_verified: expected true or false, found null"},
        {"forwarded: [true]\n", "c.yaml:4:12: forwarded: expected true or false, found a list"},
        {"trusted_proxies: 10.0.0.0/8\n", "c.yaml:4:18: trusted_proxies: expected a list, such as [a, b], found \"10.0.0.0/8\""},
        {"trusted_proxies: [10.0.0.0/64]\n", "c.yaml:4:19: trusted_proxies[0]: \"10.0.0.0/64\" is not a network"},
        {"threads: 0\n", "c.yaml:4:10: threads: \"0\" is out of range: expected a whole number from 1 to 1024"},
        {"threads: some\n", "c.yaml:4:10: threads: expected auto or a number from 1 to 1024, found \"some\""},
        {"threads: null\n", "c.yaml:4:1: threads: expected auto or a number from 1 to 1024, found null"},
        {"worker_id: 1024\n", "c.yaml:4:12: worker_id: \"1024\" is out of range: expected a whole number from 0 to 1023"},
        {"worker_id: -1\n", "c.yaml:4:12: worker_id: \"-1\" is not a whole number"},
        {"shutdown_grace: 0s\n", "c.yaml:4:17: shutdown_grace: \"0s\" is zero"},
        {"store: memory\n", "c.yaml:4:8: store: expected a mapping of keys to values, found \"memory\""},
        {"store: {url: memory}\n", "c.yaml:4:14: store.url: no store url: expected memory:, sqlite:PATH"},
        {"store: {url: 5}\n", "c.yaml:4:14: store.url: expected a url, found the number 5"},
        {"store: {url: null}\n", "c.yaml:4:9: store.url: expected a url, found null"},
        {"store: {prefix: 'a b'}\n", "c.yaml:4:17: store.prefix: \"a b\" is not a prefix"},
        {"store: {prefix: ''}\n", "c.yaml:4:17: store.prefix: \"\" is not a prefix"},
        {"store: {prefix: 7}\n", "c.yaml:4:17: store.prefix: expected text, found the number 7"},
        {"store: {timeout: 0ms}\n", "c.yaml:4:18: store.timeout: \"0ms\" is zero"},
        {"log: {level: loud}\n",
         "c.yaml:4:14: log.level: \"loud\" is not one of the words here: expected trace, debug, info, warn or error"},
        {"log: {level: INFO}\n", "c.yaml:4:14: log.level: \"INFO\" is not one of the words here"},
        {"log: {format: xml}\n", "c.yaml:4:15: log.format: \"xml\" is not one of the words here: expected json or text"},
        {"cors: {allow: maybe}\n", "c.yaml:4:15: cors.allow: expected true or false, found \"maybe\""},
        {"defaults: null\n", "c.yaml:4:1: defaults: expected a mapping"},
        {"defaults: []\n", "c.yaml:4:11: defaults: expected a mapping"},
        {"defaults: {lease: 5}\n", "c.yaml:4:19: defaults.lease: \"5\" has no unit"},
    }));
    check_refused(base + row.text, row.expected);
}

TEST_CASE("an upstream that is none is refused in both forms") {
    check_refused(
        "upstream: 127.0.0.1:3000\nroutes: [{path: /a}]\n",
        "c.yaml:1:11: upstream: \"127.0.0.1:3000\" is no upstream: expected http://host:port, https://host:port or unix:/path");
    check_refused("upstream: [http://a:1]\nroutes: [{path: /a}]\n", "c.yaml:1:11: upstream: expected a mapping");
    check_refused("upstream: null\nroutes: [{path: /a}]\n", "c.yaml:1:1: upstream: expected a mapping");
    check_refused("upstream: 3000\nroutes: [{path: /a}]\n",
                  "c.yaml:1:11: upstream: expected a url or a mapping, found the number 3000");
    check_refused("upstream: {connect_timeout: 1s}\nroutes: [{path: /a}]\n", "c.yaml:1:11: upstream.url: missing: expected url");
    check_refused(
        "upstream:\n  url: https://a/b\nroutes: [{path: /a}]\n",
        "c.yaml:2:8: upstream.url: \"https://a/b\" has more than a host and a port, and requests go up with their own path");
    check_refused("upstream: {url: 'http://a:1', max_connections: 0}\nroutes: [{path: /a}]\n",
                  "c.yaml:1:48: upstream.max_connections: \"0\" is out of range: expected a whole number from 1 to 1000000");
}

TEST_CASE("routes that are no list of mappings are refused") {
    check_refused("upstream: http://a:1\nroutes: null\n", "c.yaml:2:1: routes: expected a list of routes, found null");
    check_refused("upstream: http://a:1\nroutes: {path: /a}\n", "c.yaml:2:9: routes: expected a list of routes, found a mapping");
    check_refused("upstream: http://a:1\nroutes: [/a]\n",
                  "c.yaml:2:10: routes[0]: expected a mapping of keys to values, found \"/a\"");
    check_refused("upstream: http://a:1\nroutes: [{name: a}]\n", "c.yaml:2:10: routes[0].path: missing: expected path pattern");
}

TEST_CASE("keys that are there twice are refused, at any depth") {
    check_refused(base + "log: {}\nlog: {}\n", "c.yaml:5:1: log: the key \"log\" is already there in line 4: expected it once");
    check_refused(base + "log: {level: info, level: warn}\n",
                  "c.yaml:4:20: log.level: the key \"level\" is already there in line 4");
    check_refused(base + "    lease: 30s\n    lease: 20s\n",
                  "c.yaml:5:5: routes[0].lease: the key \"lease\" is already there in line 4");
    check_refused(base + "    errors: {status: {PROCESSING: 423, 'PROCESSING': 424}}\n",
                  "c.yaml:4:40: routes[0].errors.status.PROCESSING: the key");
}

TEST_CASE("merge keys are refused") {
    check_refused("upstream: http://a:1\nroutes:\n  - &a {path: /a}\n  - <<: *a\n    path: /b\n",
                  "c.yaml:4:5: routes[1].<<: a YAML merge key");
}

TEST_CASE("all errors are told in one run, in the order of the file") {
    const auto loaded = load(
        "upstream: ftp://x\nlog: {level: loud}\nroutes:\n  - path: api\n    lease: 5\n    wait: -1s\n  - methods: []\nnope: 1\n");
    std::vector<std::string> paths;
    for (const auto& error : loaded.errors) {
        paths.push_back(error.path);
    }
    CHECK(paths == std::vector<std::string>{"upstream", "log.level", "routes[0].path", "routes[0].lease", "routes[0].wait",
                                            "routes[1].path", "routes[1].methods", "nope"});
}

TEST_CASE("keys of later versions are refused unless they say what this one does") {
    const auto row = GENERATE(values<Row>({
        {"store: {backstop: 'postgres://a'}\n", "c.yaml:4:19: store.backstop: not available in this version"},
        {"store: {cache: 1MiB}\n",
         "c.yaml:4:16: store.cache: not available in this version: expected nothing but the default, 0"},
        {"store: {spool: /tmp/x}\n", "c.yaml:4:16: store.spool: not available in this version"},
        {"store: {redis: {wait_replicas: 1}}\n", "c.yaml:4:32: store.redis.wait_replicas: not available in this version"},
        {"store: {redis: {quarantine: 5s}}\n", "c.yaml:4:29: store.redis.quarantine: not available in this version"},
        {"store: {id_key_file: k}\n", "c.yaml:4:22: store.id_key_file: not available in this version"},
        {"store: {encryption: {key_file: k}}\n", "c.yaml:4:32: store.encryption.key_file: not available in this version"},
        {"store: {url: 'rediss://a'}\n", "c.yaml:4:14: store.url: rediss is not available in this version"},
        {"store: {url: 'redis+sentinel://a'}\n", "c.yaml:4:14: store.url: redis+sentinel is not available in this version"},
        {"store: {url: 'redis+cluster://a'}\n", "c.yaml:4:14: store.url: redis+cluster is not available in this version"},
        {"store: {url: 'postgres://a'}\n", "c.yaml:4:14: store.url: postgres is not available in this version"},
        {"store: {url: 'mysql://a'}\n", "c.yaml:4:14: store.url: mysql is not available in this version"},
        {"tokens: {path: /t}\n", "c.yaml:4:16: tokens.path: not available in this version"},
        {"tokens: {ttl: 5m}\n", "c.yaml:4:15: tokens.ttl: not available in this version"},
        {"tokens: {stateless_key_file: k}\n", "c.yaml:4:30: tokens.stateless_key_file: not available in this version"},
        {"ids: {path: /ids}\n", "c.yaml:4:13: ids.path: not available in this version"},
        {"    kind: message\n", "c.yaml:4:11: routes[0].kind: \"message\" is not available in this version: expected request"},
        {"    group: g\n", "c.yaml:4:12: routes[0].group: not available in this version"},
        {"    early_ack: 202\n", "c.yaml:4:16: routes[0].early_ack: not available in this version"},
        {"    mode: observe\n",
         "c.yaml:4:11: routes[0].mode: \"observe\" is not available in this version: expected enforce or off"},
        {"    key: {issued: true}\n", "c.yaml:4:19: routes[0].key.issued: not available in this version"},
        {"    on_unknown: probe\n",
         "c.yaml:4:17: routes[0].on_unknown: \"probe\" is not available in this version: expected hold or reforward"},
        {"    probe: {path: /p}\n", "c.yaml:4:12: routes[0].probe: not available in this version"},
        {"    replay_auth: {path: /a}\n", "c.yaml:4:18: routes[0].replay_auth: not available in this version"},
    }));
    check_refused(base + row.text, row.expected);
}

TEST_CASE("a file that can't be read is an error without a place") {
    const auto missing = load_file("/nonexistent/c.yaml");
    REQUIRE(missing.errors.size() == 1);
    CHECK(to_text(missing.errors[0]) == "/nonexistent/c.yaml: can't be read: expected a configuration file");
    CHECK(load_file("/").errors.size() == 1);
}
