#include "onceward/route/route_table.hpp"

#include "catch.hpp"
#include "requests.hpp"

using namespace onceward;
using route::Match;
using test::match;
using test::options;
using test::request;

TEST_CASE("every spelling of a guarded path is guarded") {
    const auto one = options({{"orders", "/api/orders"}});
    for (const std::string_view path : {"/api/orders",      "/api//orders",           "/api/%6frders",
                                        "/api/%6Frders",    "/api/x/../orders",       "/api/orders/",
                                        "/api/orders;a=b",  "//api/orders",           "/./api/orders",
                                        "/%61pi/orders",    "/api/%2e%2e/api/orders", "/api/x/%2E%2e/orders",
                                        "/api/orders/.",    "/api/orders/x/..",       "/api;p=1/orders",
                                        "/api/orders;",     "///api///orders//",      "/../api/orders",
                                        "/API/ORDERS",      "/api/%4Frders",          "/API//x/../orders;a=b",
                                        "/x/..;/api/orders"}) {
        INFO(path);
        const auto found = match(one, request("POST", path));
        CHECK(found.kind == Match::Kind::guarded);
        CHECK(found.normalised_path == "/api/orders");
    }
}

TEST_CASE("another path passes") {
    const auto one = options({{"orders", "/api/orders"}});
    for (const std::string_view path :
         {"/api", "/api/orders/1", "/api/order", "/", "/api/ordersx", "/x/api/orders", "/api/orders/../x", "/a%20b", "*"}) {
        INFO(path);
        CHECK(match(one, request("POST", path)).kind == Match::Kind::none);
    }
}

TEST_CASE("only the route's methods match") {
    const auto one = options({{"orders", "/api/orders"}});
    CHECK(match(one, request("PATCH", "/api/orders")).kind == Match::Kind::guarded);
    for (const std::string_view method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}) {
        CHECK(match(one, request(method, "/api/orders")).kind == Match::Kind::none);
    }
}

TEST_CASE("a case-sensitive route lets another case pass") {
    auto one = options({{"orders", "/api/Orders"}});
    one.routes[0].case_sensitive = true;
    CHECK(match(one, request("POST", "/api/Orders")).normalised_path == "/api/Orders");
    CHECK(match(one, request("POST", "/api/orders")).kind == Match::Kind::none);
}

TEST_CASE("the first route that matches wins") {
    const auto two = options({{"one", "/api/orders/{id}"}, {"all", "/api/**"}});
    const auto first = match(two, request("POST", "/api/orders/A%20b"));
    CHECK(first.index == 0);
    CHECK(first.parameters == std::vector<std::string>{"A b"});
    CHECK(match(two, request("POST", "/api/orders/1/x")).index == 1);
}

TEST_CASE("a route that is off ends the search") {
    auto two = options({{"public", "/api/public"}, {"all", "/api/**"}});
    two.routes[0].mode = config::Mode::off;
    CHECK(match(two, request("POST", "/api/public")).kind == Match::Kind::off);
    CHECK(match(two, request("POST", "/API/x/../public;v=1")).kind == Match::Kind::off);
    CHECK(match(two, request("POST", "/api/public")).index == 0);
    two.routes.push_back(two.routes[0]);
    two.routes[2].path = "/late";
    CHECK(match(two, request("POST", "/late")).index == 2);
    CHECK(match(two, request("POST", "/api/other")).kind == Match::Kind::guarded);
}

TEST_CASE("a match that is used again forgets what was before") {
    const auto two = options({{"one", "/a/{id}"}, {"all", "/b"}});
    const route::RouteTable table(two);
    Match found;
    table.match(request("POST", "/a/1"), found);
    table.match(request("POST", "/b"), found);
    CHECK((found.index == 1 && found.parameters.empty() && found.normalised_path == "/b"));
    table.match(request("POST", "/c"), found);
    CHECK(found.kind == Match::Kind::none);
    CHECK(table.parameter_names(0) == std::vector<std::string>{"id"});
}
