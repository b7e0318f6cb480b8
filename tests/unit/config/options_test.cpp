#include "onceward/config/options.hpp"

#include "catch.hpp"

using namespace onceward::config;

TEST_CASE("an address is written as it is configured") {
    CHECK(to_text(Address{"127.0.0.1", 80, {}}) == "127.0.0.1:80");
    CHECK(to_text(Address{"::1", 80, {}}) == "[::1]:80");
    CHECK(to_text(Address{{}, 0, "/run/x.sock"}) == "unix:/run/x.sock");
}

TEST_CASE("a source is written as it is configured") {
    CHECK(to_text(Source{SourceKind::header, "Idempotency-Key"}) == "header:Idempotency-Key");
    CHECK(to_text(Source{SourceKind::query, "q"}) == "query:q");
    CHECK(to_text(Source{SourceKind::json, "/a/b"}) == "json:/a/b");
    CHECK(to_text(Source{SourceKind::form, "f"}) == "form:f");
    CHECK(to_text(Source{SourceKind::multipart, "m"}) == "multipart:m");
    CHECK(to_text(Source{SourceKind::path, "id"}) == "path:id");
    CHECK(to_text(Source{SourceKind::jwt, "sub"}) == "jwt:sub");
    CHECK(to_text(Source{SourceKind::host, {}}) == "host");
    CHECK(to_text(Source{SourceKind::derived, {}}) == "derived");
}

TEST_CASE("the standard profile fails 401 403 407 408 425 429 and 5xx, and holds 502 504") {
    const auto outcomes = outcomes_of(OutcomeProfile::standard);
    for (int status = 100; status <= 599; ++status) {
        CAPTURE(status);
        const bool client = status == 401 || status == 403 || status == 407 || status == 408 || status == 425 || status == 429;
        CHECK(outcomes.fail.contains(status) == (client || status >= 500));
        CHECK(outcomes.hold.contains(status) == (status == 502 || status == 504));
    }
}

TEST_CASE("the strict profile holds every 5xx") {
    const auto outcomes = outcomes_of(OutcomeProfile::strict);
    CHECK(outcomes.hold.contains(500));
    CHECK(outcomes.hold.contains(599));
    CHECK_FALSE(outcomes.hold.contains(429));
    CHECK(outcomes.fail.contains(429));
}

TEST_CASE("the stripe profile neither fails nor holds 500") {
    const auto outcomes = outcomes_of(OutcomeProfile::stripe);
    CHECK_FALSE(outcomes.fail.contains(500));
    CHECK_FALSE(outcomes.hold.contains(500));
    CHECK(outcomes.fail.contains(503));
    CHECK(outcomes.fail.contains(429));
    CHECK(outcomes.hold.contains(502));
}

TEST_CASE("a set knows no status that is none") {
    StatusSet set;
    set.add_class(5);
    CHECK_FALSE(set.contains(99));
    CHECK_FALSE(set.contains(600));
    CHECK_FALSE(set.contains(499));
}
