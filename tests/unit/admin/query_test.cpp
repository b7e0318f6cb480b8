#include "admin/query.hpp"

#include "admin/record_filter.hpp"
#include "catch.hpp"

using namespace onceward;
using namespace onceward::admin;
using namespace std::chrono_literals;

namespace {

Query parsed(std::string_view text) {
    const auto result = Query::parse(text, {"route", "key", "empty"}, {"key"});
    REQUIRE(std::holds_alternative<Query>(result));
    return std::get<Query>(result);
}

bool is_refused(std::string_view text) {
    return std::holds_alternative<std::string>(Query::parse(text, {"route", "key"}, {"key"}));
}

RecordFilter filter(std::string_view text) {
    const auto result = parse_filter(text);
    REQUIRE(std::holds_alternative<RecordFilter>(result));
    return std::get<RecordFilter>(result);
}

std::string complaint(std::string_view text) {
    const auto result = parse_filter(text);
    REQUIRE(std::holds_alternative<std::string>(result));
    return std::get<std::string>(result);
}

}  // namespace

TEST_CASE("parameters are decoded, and some may stand there more than once") {
    const auto query = parsed("route=a%2Fb+c&key=x%3Dy&&key=&empty");
    CHECK(query.value("route") == "a/b c");
    CHECK(query.values("key") == std::vector<std::string>{"x=y", ""});
    CHECK(query.value("empty") == "");
    CHECK_FALSE(query.value("absent"));
    CHECK(query.values("absent").empty());
}

TEST_CASE("a parameter that is not known, and one that stands there twice, are refused") {
    CHECK(is_refused("rout=x"));
    CHECK(is_refused("route=a&route=a"));
    CHECK(is_refused("=x"));
    CHECK_FALSE(is_refused(""));
}

TEST_CASE("a filter without parameters asks for the first hundred of everything") {
    const auto all = filter("");
    CHECK(all.query.route.empty());
    CHECK_FALSE(all.query.state);
    CHECK(all.query.older_than == 0ms);
    CHECK(all.query.limit == 100);
    CHECK(all.query.cursor.empty());
    CHECK(all.id_prefix.empty());
}

TEST_CASE("each parameter of a filter is understood") {
    const auto some = filter("route=orders&state=unknown&older_than=10m&limit=7&cursor=abc&id=9F86D081");
    CHECK(some.query.route == "orders");
    CHECK(some.query.state == guard::RecordState::unknown);
    CHECK(some.query.older_than == 10min);
    CHECK(some.query.limit == 7);
    CHECK(some.query.cursor == "abc");
    CHECK(some.id_prefix == "9f86d081");
}

TEST_CASE("a filter that is not understood is refused, and names its parameter") {
    CHECK(complaint("state=stuck").find("state") == 0);
    CHECK(complaint("state=").find("state") == 0);
    CHECK(complaint("older_than=10").find("older_than") == 0);
    CHECK(complaint("limit=0").find("limit") == 0);
    CHECK(complaint("limit=1001").find("limit") == 0);
    CHECK(complaint("limit=-1").find("limit") == 0);
    CHECK(complaint("id=9f8").find("id") == 0);
    CHECK(complaint("id=xyz1").find("id") == 0);
    CHECK(complaint("state=UNKNOWN&sort=age").find("not known") != std::string::npos);
}
