#include "catch.hpp"
#include "loading.hpp"
#include "onceward/config/reload.hpp"

using namespace onceward::config;

namespace {

Options options_of(const std::string& routes, const std::string& more = "") {
    auto loaded = load(more + "upstream: http://127.0.0.1:3000\nstore: {url: 'memory:'}\nroutes:\n" + routes);
    REQUIRE(errors_of(loaded).empty());
    return loaded.options;
}

const std::string orders = "  - {name: orders, path: '/orders/{id}', methods: [POST, PUT]}\n";
/// A line each; `-` when nothing could be compared.
std::string changes(const std::string& former, const Options& next) {
    const auto found = identity_changes_since(former, next);
    std::string out = found ? "" : "-";
    for (const auto& change : found.value_or(std::vector<std::string>{})) {
        out += change + "\n";
    }
    return out;
}

const std::string lost = ": a retry would name another record and could execute again\n";

}  // namespace

TEST_CASE("what a restart makes of remembered keys is told, and nothing else") {
    struct Row {
        std::string routes;
        std::string more;
        std::string told;
    };
    const auto row = GENERATE(values<Row>({
        {orders, "", ""},
        {"  - {name: orders, path: '/orders/{id}', methods: [POST, PUT], lease: 20s, retention: 3d}\n", "forwarded: true\n", ""},
        {orders + "  - {name: refunds, path: /refunds}\n", "", ""},
        {"  - {name: orders, path: '/orders/{id}', methods: [POST, PUT], scope: [header:X-Tenant]}\n", "",
         "routes[orders].scope: the scope of a key would be another" + lost},
        {"  - {name: orders, path: '/orders/{id}', methods: [POST, PUT], key: {from: [header:X-Other]}}\n", "",
         "routes[orders].key.from: the key of a request would be another" + lost},
        {"  - {name: renamed, path: '/orders/{id}', methods: [POST, PUT]}\n", "",
         "routes[renamed]: it would take what routes[orders] takes, such as POST /orders/x" + lost},
        {"  - {name: orders, path: '/orders/{id}'}\n", "",
         "routes[orders]: guards PUT /orders/x no longer; keys that are remembered of it protect nothing now\n"},
        {"  - {name: orders, path: /elsewhere}\n", "",
         "routes[orders]: guards POST /orders/x no longer; keys that are remembered of it protect nothing now\n"},
    }));
    CAPTURE(row.routes);
    const auto former = identity_text(options_of(orders));
    CHECK(changes(former, options_of(row.routes, row.more)) == row.told);
}

TEST_CASE("every way to name a key comes back from the text as it was") {
    const auto options = options_of(
        "  - name: a\n"
        "    path: '/a/{id}/**'\n"
        "    case_sensitive: false\n"
        "    key: {from: [[header:X-A, 'query:$b'], 'json:/a/~0b', 'path:id'], required: false}\n"
        "    scope: ['header:X-Forwarded-For', host]\n"
        "    fingerprint: {parts: [method, body, 'header:X-C'], json: canonical, ignore: [/a~1b, '/$x']}\n"
        "  - {name: b, path: /b, mode: off}\n"
        "  - {name: c, path: /c, key: {from: [derived]}}\n"
        "  - {name: d, path: /d, key: {from: [stripe]}}\n",
        "trusted_proxies: [10.0.0.0/8, '::1/128']\n");
    CHECK(changes(identity_text(options), options).empty());
    auto other = options;
    other.trusted_proxies.clear();
    CHECK(changes(identity_text(options), other) ==
          "routes[a]: its key or scope is read from a field that trusted_proxies decides about" + lost);
}

TEST_CASE("a text that can't be read is compared with nothing") {
    const auto options = options_of(orders);
    const std::string text =
        GENERATE(as<std::string>(), "", "{", "[]", "{\"routes\": 1}", "{\"routes\": [{\"name\": \"a\"}]}",
                 "{\"upstream\": {\"url\": \"http://a:1\"}, \"routes\": [{\"name\": \"a\", \"path\": \"/a\", \"later\": 1}]}");
    CAPTURE(text);
    CHECK(changes(text, options) == "-");
}
