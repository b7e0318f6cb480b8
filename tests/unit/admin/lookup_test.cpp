#include "admin/lookup.hpp"

#include "catch.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/request/identify.hpp"
#include "onceward/route/route_table.hpp"

using namespace onceward;
using namespace onceward::admin;

namespace {

config::Options options_with(const config::SourceList& scope, std::vector<config::SourceList> from = {}) {
    config::Options options;
    auto& route = options.routes.emplace_back();
    route.name = "orders";
    route.path = "/api/orders";
    route.scope = scope;
    if (!from.empty()) {
        route.key.from = std::move(from);
    }
    return options;
}

const config::Source tenant{config::SourceKind::header, "X-Tenant"};
const config::Source region{config::SourceKind::header, "X-Region"};

struct Field {
    const char* name;
    const char* value;
};

/// The id under which the proxy files a request with these fields.
RecordId filed(const config::Options& options, std::initializer_list<Field> fields) {
    const route::RouteTable table(options);
    const request::Identifier identifier(options.routes[0], table, 0);
    http::RequestHead head;
    head.method = "POST";
    head.target = head.path = "/api/orders";
    for (const auto& field : fields) {
        head.headers.add(field.name, field.value);
    }
    route::Match match;
    table.match(head, match);
    REQUIRE(match.kind == route::Match::Kind::guarded);
    const auto identified = identifier.identify(head, match, {});
    REQUIRE(std::holds_alternative<request::Identified>(identified));
    return std::get<request::Identified>(identified).id;
}

RecordId looked_up(const config::Options& options, const KeySeen& seen) {
    const auto id = find_id(options.routes[0], seen);
    REQUIRE(std::holds_alternative<RecordId>(id));
    return std::get<RecordId>(id);
}

bool is_refused(const config::Options& options, const KeySeen& seen) {
    return std::holds_alternative<std::string>(find_id(options.routes[0], seen));
}

}  // namespace

TEST_CASE("a key is found where the proxy filed it, quoted or bare") {
    const auto options = options_with({});
    const auto id = filed(options, {{"Idempotency-Key", "8e03978e-40d5"}});
    CHECK(looked_up(options, {{"8e03978e-40d5"}, {}}) == id);
    CHECK(looked_up(options, {{"\"8e03978e-40d5\""}, {}}) == id);
    CHECK(looked_up(options, {{"8e03978e-40d6"}, {}}) != id);
    CHECK(filed(options, {{"Idempotency-Key", "\"8e03978e-40d5\""}}) == id);
}

TEST_CASE("a scope is given in the order of its sources or by name, and may be absent") {
    const auto options = options_with({tenant, region});
    const auto both = filed(options, {{"Idempotency-Key", "k"}, {"X-Tenant", "acme"}, {"X-Region", "eu"}});
    CHECK(looked_up(options, {{"k"}, {"acme", "eu"}}) == both);
    CHECK(looked_up(options, {{"k"}, {"header:X-Region=eu", "header:X-Tenant=acme"}}) == both);
    CHECK(looked_up(options, {{"k"}, {"header:X-Tenant=acme", "eu"}}) == both);
    CHECK(looked_up(options, {{"k"}, {"header:x-region=eu", "header:X-TENANT=acme"}}) == both);
    const auto first = filed(options, {{"Idempotency-Key", "k"}, {"X-Tenant", "acme"}});
    CHECK(looked_up(options, {{"k"}, {"acme"}}) == first);
    const auto second = filed(options, {{"Idempotency-Key", "k"}, {"X-Region", "eu"}});
    CHECK(looked_up(options, {{"k"}, {"header:X-Region=eu"}}) == second);
    const auto empty = filed(options, {{"Idempotency-Key", "k"}, {"X-Tenant", ""}});
    CHECK(looked_up(options, {{"k"}, {"header:X-Tenant="}}) == empty);
    const auto none = filed(options, {{"Idempotency-Key", "k"}});
    CHECK(looked_up(options, {{"k"}, {}}) == none);
    CHECK(none != empty);
}

TEST_CASE("a key of several parts is found by all of them") {
    const config::Source source{config::SourceKind::header, "ce-source"};
    const config::Source id{config::SourceKind::header, "ce-id"};
    const auto options = options_with({}, {{source, id}});
    const auto filed_id = filed(options, {{"ce-source", "/shop"}, {"ce-id", "17"}});
    CHECK(looked_up(options, {{"/shop", "17"}, {}}) == filed_id);
    CHECK(looked_up(options, {{"17", "/shop"}, {}}) != filed_id);
    CHECK(is_refused(options, {{"/shop"}, {}}));
}

TEST_CASE("what can be no key or no scope of the route is refused") {
    const auto options = options_with({tenant});
    CHECK(is_refused(options, {{""}, {}}));
    CHECK(is_refused(options, {{std::string(256, 'k')}, {}}));
    CHECK(is_refused(options, {{"\"broken"}, {}}));
    CHECK(is_refused(options, {{"k", "l"}, {}}));
    CHECK(is_refused(options, {{"k"}, {"a", "b"}}));
    CHECK(is_refused(options, {{"k"}, {"header:X-Tenant=a", "header:X-Tenant=b"}}));
    CHECK(is_refused(options_with({}), {{"k"}, {"a"}}));
}
