#include "onceward/reply/problem_reply.hpp"

#include "catch.hpp"
#include "onceward/reply/idempotency_fields.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace onceward;
using namespace onceward::reply;
using guard::IdempotencyStatus;
using guard::ProblemCode;
using nlohmann::json;

namespace {

struct Answer {
    std::string head;
    std::string body;
};

Answer answer(const ProblemReply& in) {
    std::string out;
    append_problem(out, in);
    const auto end = out.find("\r\n\r\n");
    REQUIRE(end != std::string::npos);
    return {out.substr(0, end + 2), out.substr(end + 4)};
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("a problem of HTTP itself is a complete answer with the members of the contract") {
    ProblemReply in;
    in.date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const auto got = answer(in);
    CHECK(got.head ==
          "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n"
          "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: " +
              std::to_string(got.body.size()) + "\r\nConnection: close\r\n");
    const auto body = json::parse(got.body);
    CHECK(body.size() == 7);
    CHECK(body["type"] == "urn:onceward:problem:bad-request");
    CHECK(body["status"] == 400);
    CHECK(body["code"] == "BAD_REQUEST");
    CHECK(body["retry"] == "none");
    CHECK(body["title"] == guard::info(ProblemCode::bad_request).title);
    CHECK(body["message"] == guard::info(ProblemCode::bad_request).message);
    CHECK(body["detail"].is_string());
}

TEST_CASE("a guarded refusal carries status, operation id, retry and what differs") {
    const std::vector<std::string> mismatch{"body", "header:X \"q\""};
    ProblemReply in;
    in.code = ProblemCode::key_reused;
    in.mismatch = mismatch;
    in.operation_id = OperationId{9007199254740993};
    in.status = IdempotencyStatus::mismatch;
    in.connection = http::ConnectionUse::keep_alive;
    const auto got = answer(in);
    CHECK(contains(got.head, "HTTP/1.1 422 Unprocessable Content\r\n"));
    CHECK(contains(got.head, "\r\nIdempotency-Status: mismatch\r\nIdempotency-Operation-Id: 9007199254740993\r\n"));
    CHECK_FALSE(contains(got.head, "Connection:"));
    CHECK_FALSE(contains(got.head, "Retry-After"));
    const auto body = json::parse(got.body);
    CHECK(body["operation_id"] == "9007199254740993");
    CHECK(body["mismatch"] == json(mismatch));
    CHECK(body["retry"] == "new-key");
    in.recorded = Recorded::no;
    CHECK(contains(answer(in).head, "\r\nIdempotency-Recorded: false\r\n"));
    in.retry = guard::Retry::none;
    CHECK(json::parse(answer(in).body)["retry"] == "none");
}

TEST_CASE("Retry-After is in whole seconds, rounded up") {
    ProblemReply in;
    in.code = ProblemCode::processing;
    in.retry_after = milliseconds{1};
    CHECK(contains(answer(in).head, "\r\nRetry-After: 1\r\n"));
    in.retry_after = milliseconds{2000};
    CHECK(contains(answer(in).head, "\r\nRetry-After: 2\r\n"));
    in.retry_after = milliseconds{2001};
    CHECK(contains(answer(in).head, "\r\nRetry-After: 3\r\n"));
}

TEST_CASE("a result that is too large is refused with its original status") {
    ProblemReply in;
    in.code = ProblemCode::result_too_large;
    in.original_status = 201;
    CHECK(json::parse(answer(in).body)["original_status"] == 201);
}

TEST_CASE("a route's errors change format, status and message") {
    config::Errors errors;
    errors.status["KEY_MISSING"] = 428;
    errors.messages["KEY_MISSING"] = "\"\xc3\xa9\" \\ \n \x01 \xff </script>";
    ProblemReply in;
    in.code = ProblemCode::key_missing;
    in.errors = &errors;
    auto got = answer(in);
    CHECK(contains(got.head, "HTTP/1.1 428 \r\n"));
    CHECK(json::parse(got.body)["status"] == 428);
    CHECK(json::parse(got.body)["message"] == "\"\xc3\xa9\" \\ \n \x01 \xef\xbf\xbd </script>");
    CHECK(json::parse(got.body)["detail"] == guard::info(ProblemCode::key_missing).message);
    CHECK(problem_status({.code = ProblemCode::key_missing, .errors = &errors}) == 428);
    CHECK(problem_status({.code = ProblemCode::key_invalid, .errors = &errors}) == 400);
    CHECK(problem_status({.code = ProblemCode::key_missing, .http_status = 503, .errors = &errors}) == 428);
    CHECK(problem_status({.code = ProblemCode::key_invalid, .http_status = 503, .errors = &errors}) == 503);
    errors.format = config::ErrorFormat::plain;
    got = answer(in);
    CHECK(contains(got.head, "\r\nContent-Type: application/json\r\n"));
    CHECK(json::parse(got.body) == json{{"code", "KEY_MISSING"}, {"message", "\"\xc3\xa9\" \\ \n \x01 \xef\xbf\xbd </script>"}});
}

TEST_CASE("every code is answered with valid JSON and its own status") {
    for (int i = 0; i <= static_cast<int>(ProblemCode::overloaded); ++i) {
        ProblemReply in;
        in.code = static_cast<ProblemCode>(i);
        const auto& problem = guard::info(in.code);
        const auto got = answer(in);
        INFO(problem.name);
        CHECK(contains(got.head, "HTTP/1.1 " + std::to_string(problem.status) + " "));
        CHECK_FALSE(contains(got.head, std::to_string(problem.status) + " \r\n"));
        CHECK(json::parse(got.body)["code"] == std::string(problem.name));
    }
}

TEST_CASE("405 says what is allowed") {
    ProblemReply in;
    in.code = ProblemCode::method_not_allowed;
    CHECK(contains(answer(in).head, "\r\nAllow: GET, "));
}

TEST_CASE("an answer to HEAD has the length of its content and no content") {
    ProblemReply in;
    in.connection = http::ConnectionUse::keep_alive;
    in.client_version = http::Version::http_1_0;
    const auto full = answer(in);
    CHECK(contains(full.head, "\r\nConnection: keep-alive\r\n"));
    in.to_head = true;
    const auto got = answer(in);
    CHECK(got.head == full.head);
    CHECK(got.body.empty());
}

TEST_CASE("idempotency fields say what happened") {
    const auto lines = [](const IdempotencyFields& fields) {
        std::string out;
        append_idempotency_fields(out, fields);
        return out;
    };
    CHECK(lines({IdempotencyStatus::executed, OperationId{7}, Recorded::yes}) ==
          "Idempotency-Status: executed\r\nIdempotency-Operation-Id: 7\r\n");
    CHECK(lines({IdempotencyStatus::unknown, OperationId{7}, Recorded::no}) ==
          "Idempotency-Status: unknown\r\nIdempotency-Operation-Id: 7\r\nIdempotency-Recorded: false\r\n");
    CHECK(lines({IdempotencyStatus::unguarded, {}, Recorded::yes}) ==
          "Idempotency-Status: unguarded\r\nIdempotency-Guarded: false\r\n");
    CHECK(lines({IdempotencyStatus::passed, OperationId{7}, Recorded::no}).empty());
}
