#include "catch.hpp"
#include "loading.hpp"

#include <chrono>

using namespace onceward::config;
using namespace std::chrono_literals;

namespace {

const std::string head = "upstream: http://127.0.0.1:3000\n";

}  // namespace

TEST_CASE("defaults stand where a route says nothing") {
    const auto loaded = load(
        head +
        "defaults: {lease: 20s, wait: 5s, methods: [PUT]}\nroutes:\n  - path: /a\n  - {path: /b, lease: 30s, methods: [POST]}\n");
    REQUIRE(errors_of(loaded).empty());
    const auto& routes = loaded.options.routes;
    CHECK(routes.at(0).lease == 20s);
    CHECK(routes.at(0).wait == 5s);
    CHECK(routes.at(0).methods == std::vector<std::string>{"PUT"});
    CHECK(routes.at(1).lease == 30s);
    CHECK(routes.at(1).wait == 5s);
    CHECK(routes.at(1).methods == std::vector<std::string>{"POST"});
}

TEST_CASE("mappings merge with the defaults, lists and words replace them") {
    const auto loaded = load(head +
                             "defaults:\n"
                             "  key: {required: false, pattern: '[a-z]+', from: ['header:A', 'header:B']}\n"
                             "  errors: {format: plain, status: {KEY_REUSED: 409, PROCESSING: 423}}\n"
                             "  outcomes: {profile: strict}\n"
                             "  forward_key: {rename: X}\n"
                             "routes:\n"
                             "  - path: /a\n"
                             "    key: {from: ['header:C'], pattern: null}\n"
                             "    errors: {status: {PROCESSING: 503}}\n"
                             "    outcomes: {fail: [418]}\n"
                             "    forward_key: strip\n");
    REQUIRE(errors_of(loaded).empty());
    const auto& route = loaded.options.routes.at(0);
    CHECK_FALSE(route.key.required);
    CHECK_FALSE(route.key.pattern);
    CHECK(route.key.from == std::vector<SourceList>{{{SourceKind::header, "C"}}});
    CHECK(route.errors.format == ErrorFormat::plain);
    CHECK(route.errors.status.at("KEY_REUSED") == 409);
    CHECK(route.errors.status.at("PROCESSING") == 503);
    CHECK(route.outcomes.profile == OutcomeProfile::strict);
    CHECK(route.outcomes.hold == outcomes_of(OutcomeProfile::strict).hold);
    CHECK(route.outcomes.fail.contains(418));
    CHECK_FALSE(route.outcomes.fail.contains(429));
    CHECK(route.forward_key.kind == ForwardKey::Kind::strip);
}

TEST_CASE("an error in the defaults is told once, at their place") {
    const auto loaded = load(head + "defaults: {lease: 5, nope: 1}\nroutes: [{path: /a}, {path: /b}]\n");
    CHECK(errors_of(loaded) ==
          "c.yaml:2:19: defaults.lease: \"5\" has no unit: expected a number and a unit, such as 500ms, 30s, 10m, 24h or 7d\n"
          "c.yaml:2:22: defaults.nope: unknown key \"nope\": did you mean \"mode\"?\n");
}

TEST_CASE("defaults are checked without a route that uses them") {
    CHECK(load(head + "defaults: {lease: 5}\nroutes: []\n").errors.size() == 1);
}

TEST_CASE("a combination of defaults and a route is refused at the route's own line") {
    const auto loaded = load(head + "defaults: {retention: 10s}\nroutes:\n  - {path: /a, lease: 20s}\n");
    CHECK(errors_of(loaded) ==
          "c.yaml:4:23: routes[0].lease: the lease of 20s is longer than the retention of 10s: expected at most as long\n");
}
