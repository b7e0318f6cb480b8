#include "catch.hpp"
#include "onceward/route/target.hpp"

using namespace onceward;
using namespace onceward::route;

namespace {
http::RequestHead request(std::string path, std::string query) {
    http::RequestHead head;
    head.path = std::move(path);
    head.query = std::move(query);
    head.has_query = !head.query.empty();
    head.host = "shop.test:8443";
    return head;
}
}  // namespace

TEST_CASE("a Location names the request's own target in any of its spellings") {
    const auto head = request("/api/orders/", "a=1");
    for (const std::string_view location :
         {"/api/orders?a=1", "/api/orders/?a=1", "http://shop.test:8443/api/orders?a=1",
          "https://SHOP.test:8443/api//orders?a=1#top", "//shop.test:8443/api/%6frders?a=1", "?a=1", "../orders?a=1", "./?a=1",
          " /API/orders?a=1 ", "/x/../api/orders?a=1", "#top"}) {
        INFO(location);
        CHECK(names_target_of(head, location, PathCase::folded));
    }
}

TEST_CASE("a Location that names anything else is another target") {
    const auto head = request("/api/orders/", "a=1");
    for (const std::string_view location :
         {"", "/api/orders", "/api/orders?a=2", "/api/orders/7?a=1", "http://other.test/api/orders?a=1",
          "http://shop.test/api/orders?a=1", "ftp://shop.test:8443/api/orders?a=1", "mailto:a@b", "orders?a=1",
          "/api/orders;v=2?a=1", "http://shop.test:8443", "http:/api/orders?a=1", "http://u@shop.test:8443/api/orders?a=1"}) {
        INFO(location);
        CHECK_FALSE(names_target_of(head, location, PathCase::folded));
    }
    CHECK_FALSE(names_target_of(head, "/API/orders?a=1", PathCase::kept));
}

TEST_CASE("the default port may be left out") {
    auto head = request("/a", "");
    head.host = "shop.test";
    CHECK(names_target_of(head, "http://shop.test:80/a", PathCase::folded));
    CHECK(names_target_of(head, "https://shop.test:443/a/", PathCase::folded));
    CHECK_FALSE(names_target_of(head, "http://shop.test:8080/a", PathCase::folded));
    head.host = "[::1]:80";
    CHECK(names_target_of(head, "http://[::1]/a", PathCase::folded));
}
