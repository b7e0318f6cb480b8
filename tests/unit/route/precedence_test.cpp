#include "onceward/route/precedence.hpp"

#include "catch.hpp"
#include "requests.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

using namespace onceward;
using route::Match;
using route::Shift;
using route::shifts;
using test::options;

namespace {

using Routes = std::vector<config::Route>;

/// `taken POST /api/orders orders -> all`, one a line.
std::string told(const Routes& before, const Routes& after) {
    std::string out;
    for (const auto& shift : shifts(before, after)) {
        out += shift.kind == Shift::Kind::taken ? "taken " : shift.kind == Shift::Kind::unguarded ? "unguarded " : "rebound ";
        out += shift.method + " " + shift.path + " " + shift.before + (shift.after.empty() ? "" : " -> " + shift.after) + "\n";
    }
    return out;
}

Routes routes(const std::vector<std::pair<std::string, std::string>>& name_and_path) {
    return options(name_and_path).routes;
}

}  // namespace

TEST_CASE("the same routes, more of them, or another order of those that share nothing shift nothing") {
    const auto two = routes({{"orders", "/orders"}, {"refunds", "/refunds/{id}"}});
    CHECK(told(two, two).empty());
    CHECK(told(two, routes({{"refunds", "/refunds/{id}"}, {"orders", "/orders"}})).empty());
    CHECK(told(two, routes({{"new", "/new/**"}, {"orders", "/orders"}, {"refunds", "/refunds/{id}"}})).empty());
    CHECK(told({}, two).empty());
}

TEST_CASE("a route that is behind another takes nothing from it") {
    const auto one = routes({{"orders", "/api/orders"}});
    CHECK(told(one, routes({{"orders", "/api/orders"}, {"all", "/api/**"}})).empty());
    CHECK(told(one, routes({{"all", "/api/**"}, {"orders", "/api/orders"}})) == "taken PATCH /api/orders orders -> all\n");
}

TEST_CASE("a route with another name is another route") {
    CHECK(told(routes({{"a", "/x"}}), routes({{"b", "/x"}})) == "taken PATCH /x a -> b\n");
}

TEST_CASE("what is left to a wider route behind is taken by it") {
    CHECK(told(routes({{"orders", "/api/orders"}, {"all", "/api/**"}}), routes({{"all", "/api/**"}})) ==
          "taken PATCH /api/orders orders -> all\n");
}

TEST_CASE("targets that no route guards any more are told, whatever the reason") {
    const auto one = routes({{"orders", "/orders/{id}"}});
    CHECK(told(one, {}) == "unguarded PATCH /orders/x orders\n");
    auto narrower = one;
    narrower[0].methods = {"PATCH"};
    CHECK(told(one, narrower) == "unguarded POST /orders/x orders\n");
    auto off = one;
    off[0].mode = config::Mode::off;
    CHECK(told(one, off) == "unguarded PATCH /orders/x orders\n");
    CHECK(told(off, one).empty());
    CHECK(told(one, routes({{"orders", "/orders/new"}})) == "unguarded PATCH /orders/x orders\n");
}

TEST_CASE("a pattern with a name and one with a literal share a target only where nothing before takes it") {
    const auto before = routes({{"one", "/a/b"}, {"any", "/a/{x}"}});
    CHECK(told(before, routes({{"any", "/a/{x}"}, {"one", "/a/b"}})) == "taken PATCH /a/b one -> any\n");
    CHECK(told(before, routes({{"one", "/a/b"}, {"other", "/a/b"}, {"any", "/a/{x}"}})).empty());
}

TEST_CASE("only methods that both take count") {
    auto before = routes({{"a", "/x"}});
    before[0].methods = {"POST"};
    auto after = routes({{"b", "/x"}, {"a", "/x"}});
    after[0].methods = {"PUT"};
    after[1].methods = {"POST", "PUT"};
    CHECK(told(before, after).empty());
}

TEST_CASE("case counts where a route says so") {
    auto folded = routes({{"a", "/Orders"}});
    auto exact = folded;
    exact[0].case_sensitive = true;
    CHECK(told(exact, folded).empty());
    CHECK_FALSE(told(folded, exact).empty());
    auto split = routes({{"b", "/Orders"}, {"a", "/Orders"}});
    split[0].case_sensitive = true;
    CHECK(told(folded, split) == "taken PATCH /Orders a -> b\n");
}

TEST_CASE("a name that key or scope reads must stay the same segment") {
    auto before = routes({{"a", "/{shop}/{order}"}});
    auto after = routes({{"a", "/{order}/{shop}"}});
    CHECK(told(before, after).empty());
    for (auto* list : {&before, &after}) {
        (*list)[0].scope = {{config::SourceKind::path, "shop"}};
    }
    CHECK(told(before, after) == "rebound PATCH /x/x a -> a\n");
    auto elsewhere = routes({{"a", "/v2/x/{shop}/{order}"}});
    elsewhere[0].scope = before[0].scope;
    CHECK(told(before, elsewhere) == "unguarded PATCH /v2/x a\n");
}

namespace {

/// Every path of up to four of these segments: one more than any pattern has.
std::vector<std::string> all_paths() {
    std::vector<std::string> out{"/"};
    std::vector<std::string> longest{""};
    for (int depth = 0; depth < 4; ++depth) {
        std::vector<std::string> longer;
        for (const auto& path : longest) {
            for (const std::string_view segment : {"a", "A", "b", "other"}) {
                longer.push_back(path + "/" + std::string(segment));
            }
        }
        out.insert(out.end(), longer.begin(), longer.end());
        longest = std::move(longer);
    }
    return out;
}

using Shifted = std::set<std::tuple<bool, std::string, std::string>>;

/// What the route table itself says, target by target.
Shifted by_matching(const config::Options& before, const config::Options& after, const std::vector<std::string>& paths) {
    const route::RouteTable first(before);
    const route::RouteTable second(after);
    Shifted out;
    Match was;
    Match is;
    for (const auto& path : paths) {
        for (const std::string_view method : {"POST", "PATCH"}) {
            const auto head = test::request(method, path);
            first.match(head, was);
            second.match(head, is);
            if (was.kind != Match::Kind::guarded) {
                continue;
            }
            const auto& name = before.routes[was.index].name;
            const auto other = is.kind == Match::Kind::guarded ? after.routes[is.index].name : std::string{};
            if (other != name) {
                out.insert({other.empty(), name, other});
            }
        }
    }
    return out;
}

config::Options random_routes(std::mt19937& random) {
    const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    config::Options out;
    std::set<std::string> names;
    for (int i = pick(5); i > 0; --i) {
        config::Route route;
        route.name = std::string(1, static_cast<char>('p' + pick(4)));
        if (!names.insert(route.name).second) {
            continue;
        }
        for (int depth = pick(4); depth > 0; --depth) {
            const int kind = pick(4);
            route.path += kind == 0 ? "/a" : kind == 1 ? "/A" : kind == 2 ? "/b" : "/{n" + std::to_string(depth) + "}";
        }
        route.path += route.path.empty() ? "/**" : pick(3) == 0 ? "/**" : "";
        route.case_sensitive = pick(2) == 0;
        route.mode = pick(5) == 0 ? config::Mode::off : config::Mode::enforce;
        if (pick(3) == 0) {
            route.methods = {"PATCH"};
        }
        out.routes.push_back(route);
    }
    return out;
}

}  // namespace

TEST_CASE("what shifts agrees with the route table on every target, for random routes") {
    std::mt19937 random(20'240'101);
    const auto paths = all_paths();
    for (int round = 0; round < 300; ++round) {
        const auto before = random_routes(random);
        const auto after = random_routes(random);
        Shifted found;
        for (const auto& shift : shifts(before.routes, after.routes)) {
            found.insert({shift.kind == Shift::Kind::unguarded, shift.before, shift.after});
            // The example is one.
            CHECK(by_matching(before, after, {shift.path}).count({shift.after.empty(), shift.before, shift.after}) == 1);
        }
        if (found != by_matching(before, after, paths)) {
            for (const auto* list : {&before, &after}) {
                for (const auto& route : list->routes) {
                    UNSCOPED_INFO(route.name << " " << route.path << (route.case_sensitive ? " exact" : ""));
                }
                UNSCOPED_INFO("--");
            }
            FAIL(told(before.routes, after.routes));
        }
    }
}

TEST_CASE("a thousand routes are compared in no time") {
    config::Options many;
    for (int i = 0; i < 1000; ++i) {
        config::Route route;
        route.name = "r" + std::to_string(i);
        route.path = "/api/r" + std::to_string(i) + "/{id}/lines/{line}";
        many.routes.push_back(route);
    }
    auto other = many.routes;
    std::swap(other[0], other[999]);
    const auto begun = std::chrono::steady_clock::now();
    CHECK(shifts(many.routes, other).empty());
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{20});
}
