#include "onceward/guard/problem.hpp"

#include "catch.hpp"

#include <set>
#include <string>

namespace onceward::guard {

using enum ProblemCode;

TEST_CASE("each code answers as the table of codes says") {
    struct Row {
        ProblemCode code;
        const char* name;
        int status;
        const char* retry;
        const char* idempotency_status;
    };
    const Row rows[] = {
        {key_missing, "KEY_MISSING", 400, "new-key", "refused"},
        {key_invalid, "KEY_INVALID", 400, "new-key", "refused"},
        {body_too_large, "BODY_TOO_LARGE", 413, "none", "refused"},
        {processing, "PROCESSING", 409, "same-key", "processing"},
        {key_reused, "KEY_REUSED", 422, "new-key", "mismatch"},
        {fingerprint_changed, "FINGERPRINT_CHANGED", 409, "none", "mismatch"},
        {outcome_unknown, "OUTCOME_UNKNOWN", 409, "none", "unknown"},
        {bad_request, "BAD_REQUEST", 400, "none", "refused"},
        {method_not_allowed, "METHOD_NOT_ALLOWED", 405, "none", "refused"},
        {request_timeout, "REQUEST_TIMEOUT", 408, "same-key", "refused"},
        {target_too_long, "TARGET_TOO_LONG", 414, "none", "refused"},
        {expectation_failed, "EXPECTATION_FAILED", 417, "none", "refused"},
        {headers_too_large, "HEADERS_TOO_LARGE", 431, "none", "refused"},
        {connection_limit, "CONNECTION_LIMIT", 503, "same-key", "refused"},
        {result_too_large, "RESULT_TOO_LARGE", 409, "none", "refused"},
        {result_expired, "RESULT_EXPIRED", 409, "none", "refused"},
        {store_unavailable, "STORE_UNAVAILABLE", 503, "same-key", "refused"},
        {store_corrupt, "STORE_CORRUPT", 503, "same-key", "refused"},
        {upstream_unreachable, "UPSTREAM_UNREACHABLE", 502, "same-key", "failed"},
        {upstream_lost, "UPSTREAM_LOST", 502, "same-key", "unknown"},
        {upstream_timeout, "UPSTREAM_TIMEOUT", 504, "same-key", "processing"},
        {overloaded, "OVERLOADED", 503, "same-key", "refused"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        const auto& problem = info(row.code);
        CHECK(problem.code == row.code);
        CHECK(problem.name == row.name);
        CHECK(problem.status == row.status);
        CHECK(to_text(problem.retry) == row.retry);
        CHECK(to_text(status_of(row.code)) == row.idempotency_status);
        CHECK(parse_problem_code(row.name) == row.code);
    }
    CHECK(std::size(rows) == static_cast<std::size_t>(overloaded) + 1);
}

TEST_CASE("the type of a problem is its code in lower case with dashes") {
    std::set<std::string_view> titles;
    for (int i = 0; i <= static_cast<int>(overloaded); ++i) {
        const auto& problem = info(static_cast<ProblemCode>(i));
        std::string expected = "urn:onceward:problem:";
        for (const char c : problem.name) {
            expected += c == '_' ? '-' : static_cast<char>(c - 'A' + 'a');
        }
        CHECK(problem.type == expected);
        CHECK_FALSE(problem.message.empty());
        CHECK(titles.insert(problem.title).second);
    }
}

TEST_CASE("a name that is no code is none") {
    CHECK_FALSE(parse_problem_code(""));
    CHECK_FALSE(parse_problem_code("key_missing"));
    CHECK_FALSE(parse_problem_code("TOKEN_REJECTED"));
}

TEST_CASE("idempotency statuses have the names of the header") {
    CHECK(to_text(IdempotencyStatus::executed) == "executed");
    CHECK(to_text(IdempotencyStatus::replayed) == "replayed");
    CHECK(to_text(IdempotencyStatus::unguarded) == "unguarded");
    CHECK(to_text(IdempotencyStatus::passed) == "passed");
}

}  // namespace onceward::guard
