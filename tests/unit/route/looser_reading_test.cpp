#include "catch.hpp"
#include "requests.hpp"

#include <ctime>

using namespace onceward;
using route::Match;
using test::match;
using test::options;
using test::request;

namespace {
Match::Kind kind(const config::Options& options, std::string_view method, std::string_view path, std::string_view field = {}) {
    auto head = request(method, path);
    if (!field.empty()) {
        const auto colon = field.find(':');
        head.headers.add(field.substr(0, colon), field.substr(colon + 2));
    }
    return match(options, head).kind;
}
}  // namespace

TEST_CASE("a path that a looser reading finds guarded is ambiguous") {
    const auto one = options({{"orders", "/api/orders"}});
    for (const std::string_view path :
         {"/api%2forders", "/api%2Forders", "/api%5corders", "/api\\orders", "/api%252forders", "/api/%256frders",
          "/api%255Corders", "/%2e%2e%2fapi/orders", "/api/x%2f..%2forders", "/api/orders%2f", "/api/orders%00",
          "/api/orders%00.txt", "/api/ord%00ers", "/api/orders%3ba=b", "/api/orders%3fx", "/api/orders%23x", "/api/orders%20",
          "/api/orders%0d%0a", "/api%25252525252forders", "/api/%%36frders", "/x/%252e%252e/api/orders", "/api%2forders;a=b",
          "/API%2FORDERS", "\\api\\orders", "/api/x\\..\\orders",
          // Dot segments before runs of slashes are merged, as browsers do.
          "/api//../orders", "/api/orders//..", "/api/x//../../orders", "/api///../../orders", "/api/%2e%2e//../api//../orders",
          // And before ;params are dropped, or after it.
          "/api;x/orders/;/..", "/api/;p/../orders", "/api/;/..;x/orders",
          // What follows two slashes is a host to them.
          "//host/api/orders", "///host/api/orders", "/\\host/api/orders", "//host:80/api/x/../orders"}) {
        INFO(path);
        CHECK(kind(one, "POST", path) == Match::Kind::ambiguous);
    }
}

TEST_CASE("a path that can be read in very many ways is ambiguous, however long") {
    const auto one = options({{"orders", "/api/orders"}});
    std::string path = "//host/%255c%2500%2509;a/..;b//../x%25253b";
    CHECK(kind(one, "POST", path) == Match::Kind::ambiguous);
    CHECK(kind(one, "GET", path) == Match::Kind::none);
    for (int i = 0; i < 200; ++i) {
        path += "/..;x//%252e%5c..%3b%00y/z";
    }
    const auto begun = std::clock();
    CHECK(kind(one, "POST", path) == Match::Kind::ambiguous);
    CHECK(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC < 1);
}

TEST_CASE("a path that no reading finds guarded passes") {
    const auto one = options({{"orders", "/api/orders"}});
    for (const std::string_view path :
         {"/api%2forder", "/files/a%2Fb", "/a\\b", "/api/orders%2f1", "/search;x=/api/orders", "/%00", "/a%20b/%C3%A9",
          "/api/../orders", "/api//x/../../orders/x", "//host/other", "/api//..//orders;x/.."}) {
        INFO(path);
        CHECK(kind(one, "POST", path) == Match::Kind::none);
    }
}

TEST_CASE("a looser reading that only leads to another route of the guard changes nothing") {
    const auto one = options({{"files", "/files/{name}"}, {"deep", "/files/**"}});
    CHECK(kind(one, "POST", "/files/a%2Fb") == Match::Kind::guarded);
}

TEST_CASE("a dot segment with ;params is a name to some and must not lead out of the guard") {
    const auto one = options({{"all", "/api/**"}});
    CHECK(kind(one, "POST", "/api/..;x=1/other") == Match::Kind::ambiguous);
    CHECK(kind(one, "POST", "/api/../other") == Match::Kind::none);
}

TEST_CASE("a method in another case, or in an override header, that would be guarded is ambiguous") {
    const auto one = options({{"orders", "/api/orders"}});
    for (const std::string_view method : {"post", "Post", "patch"}) {
        CHECK(kind(one, method, "/api/orders") == Match::Kind::ambiguous);
    }
    for (const std::string_view field :
         {"X-HTTP-Method-Override: POST", "x-http-method: patch", "X-Method-Override: Post", "X-HTTP-Method-Override: GET, POST",
          "X_HTTP_METHOD_OVERRIDE: POST", "X-HTTP-Method_Override: \"post\""}) {
        INFO(field);
        CHECK(kind(one, "GET", "/api/orders", field) == Match::Kind::ambiguous);
        CHECK(kind(one, "PUT", "/api%2forders", field) == Match::Kind::ambiguous);
        CHECK(kind(one, "GET", "/other", field) == Match::Kind::none);
    }
    CHECK(kind(one, "GET", "/api/orders", "X-HTTP-Method-Override: DELETE") == Match::Kind::none);
    CHECK(kind(one, "GET", "/api%2forders") == Match::Kind::none);
    CHECK(kind(one, "POST", "/api/orders", "X-HTTP-Method-Override: GET") == Match::Kind::guarded);
}

TEST_CASE("a looser reading that meets a route that is off passes") {
    auto two = options({{"public", "/api/public"}, {"all", "/api/**"}});
    two.routes[0].mode = config::Mode::off;
    CHECK(kind(two, "POST", "/api%2fpublic") == Match::Kind::none);
    CHECK(kind(two, "POST", "/api%2fother") == Match::Kind::ambiguous);
    CHECK(kind(two, "post", "/api/public") == Match::Kind::none);
}

TEST_CASE("looser case of the path is no reading of a case-sensitive route") {
    auto one = options({{"orders", "/api/Orders"}});
    one.routes[0].case_sensitive = true;
    CHECK(kind(one, "POST", "/api%2forders") == Match::Kind::none);
    CHECK(kind(one, "POST", "/api%2fOrders") == Match::Kind::ambiguous);
}

TEST_CASE("a long list of overrides and a long path are read in bounded time") {
    const auto one = options({{"orders", "/api/orders"}});
    std::string path = "/x\\;?";
    while (path.size() < 8000) {
        path += "/..;%25%32%35%00a%2f";
    }
    auto head = request("GET", "/");
    head.path = path;
    std::string list;
    for (int i = 0; i < 10'000; ++i) {
        list += "POST,";
    }
    head.headers.add("X-HTTP-Method-Override", list);
    const auto start = std::clock();
    CHECK(match(one, head).kind == Match::Kind::none);
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 1.0);
}
