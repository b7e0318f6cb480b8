#include "catch.hpp"
#include "record_builders.hpp"

namespace onceward::guard {

using test::identity;

TEST_CASE("states and failures have their names, and are read from no other") {
    using enum RecordState;
    for (const auto state : {processing, completed, failed, unknown, expired}) {
        CHECK(parse_record_state(to_text(state)) == state);
    }
    CHECK(to_text(processing) == "PROCESSING");
    CHECK(to_text(expired) == "EXPIRED");
    for (const auto* const text : {"", "processing", "PROCESSING ", "DONE"}) {
        CHECK_FALSE(parse_record_state(text));
    }
    CHECK(parse_failure_kind("not-executed") == FailureKind::not_executed);
    CHECK(parse_failure_kind("answered") == FailureKind::answered);
    CHECK_FALSE(parse_failure_kind("Answered"));
}

TEST_CASE("requests are related by fingerprint under one configuration and by raw bytes under two") {
    CHECK(relate(identity(1), identity(1)) == Relation::same);
    CHECK(relate(identity(1), identity(2)) == Relation::differs);
    CHECK(relate(identity(1, 1, 1), identity(1, 1, 2)) == Relation::same);
    CHECK(relate(identity(1, 1, 1), identity(2, 1, 2)) == Relation::changed);
    SECTION("bytes do not matter where the fingerprint is equal") {
        auto canonical = identity(1);
        canonical.raw = test::digest(99);
        CHECK(relate(identity(1), canonical) == Relation::same);
    }
    SECTION("the caller is compared apart") {
        CHECK(relate(identity(1, 1), identity(1, 2)) == Relation::same);
    }
}

}  // namespace onceward::guard
