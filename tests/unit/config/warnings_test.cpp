#include "catch.hpp"
#include "loading.hpp"

#include <filesystem>
#include <fstream>

using namespace onceward::config;

namespace {

void check_warned(const std::string& text, const std::string& expected) {
    CAPTURE(text);
    const auto loaded = load(text);
    CHECK(errors_of(loaded).empty());
    const auto warnings = warnings_of(loaded);
    CAPTURE(warnings);
    CHECK(warnings.compare(0, expected.size(), expected) == 0);
    CHECK(loaded.warnings.size() == (expected.empty() ? 0 : 1));
}

}  // namespace

TEST_CASE("the defaults raise no doubt") {
    check_warned(smallest, "");
}

TEST_CASE("doubtful combinations are warnings, not errors") {
    check_warned(smallest + "    retention: 1m\n",
                 "c.yaml:6:16: routes[0].retention: the retention of 1m is shorter than the execution_timeout of 5m");
    check_warned(smallest + "    lease: 2s\n",
                 "c.yaml:6:12: routes[0].lease: the store.timeout of 500ms is over a sixth of the lease of 2s");
    check_warned(smallest + "    lease: 3s\n", "");
    check_warned("upstream: http://a:1\nstore: {timeout: 5s}\nroutes:\n  - path: /a\n",
                 "c.yaml:4:5: routes[0].lease: the store.timeout of 5s is over a sixth");
    check_warned(smallest + "    caller: []\n", "c.yaml:6:13: routes[0].caller: nothing says who asks");
    check_warned(smallest + "    caller: ['header:X-Forwarded-For']\n", "c.yaml:6:13: routes[0].caller: nothing supplies this");
    check_warned("trusted_proxies: [10.0.0.0/8]\n" + smallest + "    caller: ['header:X-Forwarded-For']\n", "");
    check_warned("worker_id: 3\n" + smallest, "c.yaml:1:12: worker_id: several replicas on a store that is not shared");
    check_warned("worker_id: 3\nstore: {url: 'redis://a'}\nupstream: http://a:1\nroutes: [{path: /a}]\n", "");
    check_warned(smallest + "    fingerprint: {ignore: [/ts]}\n", "c.yaml:6:27: routes[0].fingerprint.ignore: has no effect");
    check_warned("upstream: http://a:1\nroutes: []\n", "c.yaml:2:9: routes: no routes: nothing is guarded");
    check_warned("upstream: {url: 'http://a:1', response_timeout: 10m}\nroutes: [{path: /a}]\n",
                 "c.yaml:1:49: upstream.response_timeout: longer than the execution_timeout of 5m");
    check_warned("listen: 127.0.0.1:80\nupstream: http://127.0.0.1\nroutes: [{path: /a}]\n",
                 "c.yaml:2:11: upstream: the upstream is this proxy's own listener");
}

TEST_CASE("a token that can be guessed, and a file of tokens that everybody can write, are warnings") {
    namespace fs = std::filesystem;
    const auto path = fs::temp_directory_path() / "onceward_config_tokens";
    const auto text = "admin: {address: 127.0.0.1:9901, token_file: " + path.string() + "}\n" + smallest;
    std::ofstream(path) << "0123456789abcdef\n";
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
    check_warned(text, "");
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
    check_warned(text, "c.yaml:1:46: admin.token_file: every user of this system can write the file");
    fs::permissions(path, fs::perms::others_write, fs::perm_options::remove);
    std::ofstream(path, std::ios::app) << "0123456789abcde\n";
    check_warned(text, "c.yaml:1:46: admin.token_file: a token of this file can be guessed: shorter than 16 bytes");
    fs::remove(path);
}

TEST_CASE("a route that another one covers is a warning") {
    const std::string head = "upstream: http://a:1\nroutes:\n  - {path: /a, name: x, methods: [POST, PUT]}\n";
    check_warned(head + "  - {path: /A, name: y, methods: [PUT]}\n",
                 "c.yaml:4:12: routes[1].path: never reached: the route x before it takes its path and methods");
    check_warned(head + "  - {path: /a, name: y, methods: [PATCH]}\n", "");
    check_warned(head + "  - {path: /b, name: y, methods: [PUT]}\n", "");
    const auto pair = [](const std::string& first, const std::string& second) {
        return "upstream: http://a:1\nroutes:\n  - {name: x, " + first + "}\n  - {name: y, " + second + "}\n";
    };
    const std::string never = "c.yaml:4:21: routes[1].path: never reached: the route x before it takes its path and methods";
    for (const auto* covered : {"path: /a", "path: /a/b", "path: '/a/{id}/c'", "path: '/a/**'"}) {
        check_warned(pair("path: '/a/**'", covered), std::string(covered) == "path: /a" ? "" : never);
    }
    check_warned(pair("path: '/a/{b}'", "path: /a/c"), never);
    check_warned(pair("path: '/a/{b}'", "path: '/a/{c}'"), never);
    check_warned(pair("path: '/a/{b}'", "path: '/a/**'"), "");
    check_warned(pair("path: '/a/{b}'", "path: /a/c/d"), "");
    check_warned(pair("path: /a/c", "path: '/a/{b}'"), "");
    check_warned(pair("path: /a/C", "path: /a/c, case_sensitive: true"), never);
    check_warned(pair("path: /a/c, case_sensitive: true", "path: /a/c"), "");
}
