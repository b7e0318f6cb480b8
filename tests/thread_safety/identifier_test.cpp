#include "catch.hpp"
#include "loops.hpp"
#include "onceward/request/identify.hpp"

#include <algorithm>

using namespace onceward;

namespace {

config::Options options_with_one_route() {
    config::Options options;
    auto& route = options.routes.emplace_back();
    route.name = "orders";
    route.path = "/api/{shop}/orders";
    route.key.pattern = "[a-z0-9-]+";
    route.scope = {std::get<config::Source>(request::parse_source("path:shop"))};
    route.fingerprint.json = config::JsonMode::canonical;
    return options;
}

/// Record id and fingerprint of one request.
std::string identity_of(const request::Identifier& identifier, const route::RouteTable& table, std::size_t number) {
    http::RequestHead head;
    head.method = "POST";
    head.path = head.target = "/api/shop-" + std::to_string(number % 3) + "/orders";
    head.headers.add("Idempotency-Key", "key-" + std::to_string(number));
    route::Match match;
    table.match(head, match);
    const auto body = R"({"b": 1, "a": [)" + std::to_string(number) + "]}";
    const auto found = identifier.identify(head, match, {body});
    const auto* identified = std::get_if<request::Identified>(&found);
    if (identified == nullptr) {
        return "refused";
    }
    std::string text(identified->id.bytes.begin(), identified->id.bytes.end());
    text.append(identified->identity.fingerprint.bytes.begin(), identified->identity.fingerprint.bytes.end());
    return text;
}

}  // namespace

TEST_CASE("one configuration serves all loops: every thread gives a request the same identity") {
    constexpr std::size_t thread_count = 3;
    constexpr std::size_t request_count = 500;
    const auto options = options_with_one_route();
    const route::RouteTable table(options);
    const request::Identifier identifier(options.routes.front(), table, 0);
    std::vector<std::vector<std::string>> identities(thread_count);
    test::on_threads(thread_count, [&](std::size_t thread) {
        for (std::size_t i = 0; i < request_count; ++i) {
            identities[thread].push_back(identity_of(identifier, table, i));
        }
    });
    CHECK(std::find(identities[0].begin(), identities[0].end(), "refused") == identities[0].end());
    CHECK((identities[1] == identities[0] && identities[2] == identities[0]));
}
