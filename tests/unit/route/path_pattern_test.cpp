#include "route/path_pattern.hpp"

#include "catch.hpp"
#include "onceward/route/route_table.hpp"

using namespace onceward::route;

namespace {
bool meets(std::string_view pattern, std::string_view path, PathCase path_case = PathCase::folded) {
    return std::get<PathPattern>(PathPattern::parse(pattern, path_case)).matches(path);
}
using Strings = std::vector<std::string>;
}  // namespace

TEST_CASE("a pattern meets the paths it describes and no others") {
    struct Row {
        std::string_view pattern;
        Strings meets;
        Strings misses;
    };
    const Row rows[] = {
        {"/api/orders", {"/api/orders", "/API/Orders"}, {"/api", "/api/orders/1", "/api/ordersx", "/", "*"}},
        {"/api/orders/", {"/api/orders"}, {"/api"}},
        {"/", {"/"}, {"/a", "*"}},
        {"/orders/{id}", {"/orders/7", "/Orders/a%2Fb"}, {"/orders", "/orders/7/lines", "/x/7", "/"}},
        {"/{a}/x/{b}", {"/1/x/2"}, {"/1/y/2", "/1/x"}},
        {"/api/**", {"/api", "/api/a", "/API/a/b/c"}, {"/apix", "/apix/a", "/x/api", "/"}},
        {"/**", {"/", "/a", "/a/b"}, {"*"}},
        {"/u/{id}/**", {"/u/1", "/u/1/a/b"}, {"/u", "/v/1"}},
        {"/caf\xc3\xa9", {"/caf%C3%A9"}, {"/cafe"}},
    };
    for (const auto& row : rows) {
        for (const auto& path : row.meets) {
            INFO(row.pattern << " meets " << path);
            CHECK(meets(row.pattern, path));
        }
        for (const auto& path : row.misses) {
            INFO(row.pattern << " misses " << path);
            CHECK_FALSE(meets(row.pattern, path));
        }
    }
}

TEST_CASE("a case-sensitive pattern tells cases apart") {
    CHECK(meets("/api/{x}/Y", "/api/Z/Y", PathCase::kept));
    CHECK_FALSE(meets("/api/{x}/Y", "/api/Z/y", PathCase::kept));
    CHECK_FALSE(meets("/api", "/API", PathCase::kept));
}

TEST_CASE("values of names are decoded and keep their case") {
    const auto pattern = std::get<PathPattern>(PathPattern::parse("/a/{first}/b/{second-name}/**", PathCase::folded));
    Strings values;
    pattern.bind("/A/X%2fy/B/%2541/rest", values);
    CHECK(values == Strings{"X/y", "%41"});
    CHECK(pattern.names() == Strings{"first", "second-name"});
}

TEST_CASE("a pattern that can't be compiled says why") {
    for (const std::string_view bad : {"", "api", "*", "/a//b", "/a/./b", "/../a", "/a/**/b", "/a/*", "/a*", "/a/{}", "/a/x{id}",
                                       "/a/{id}x", "/{a}/{a}", "/a?b", "/a;b", "/a#b", "/{a b}", "/a/***"}) {
        INFO(bad);
        CHECK_FALSE(pattern_error(bad).empty());
    }
    for (const std::string_view good : {"/", "/a", "/a/", "/{a}", "/**", "/a/{b}/**", "/a%20b"}) {
        INFO(good);
        CHECK(pattern_error(good).empty());
    }
}
