#include "onceward/reply/problem_reply.hpp"

#include "onceward/http/field_line.hpp"
#include "onceward/http/reason.hpp"
#include "onceward/reply/idempotency_fields.hpp"
#include "reply/problem_body.hpp"

namespace onceward::reply {

namespace {

std::string_view content_type(const config::Errors* errors) {
    return errors != nullptr && errors->format == config::ErrorFormat::plain ? "application/json" : "application/problem+json";
}

}  // namespace

int problem_status(const ProblemReply& in) {
    const guard::ProblemInfo& problem = guard::info(in.code);
    if (in.errors != nullptr) {
        if (const auto own = in.errors->status.find(problem.name); own != in.errors->status.end()) {
            return own->second;
        }
    }
    return in.http_status != 0 ? in.http_status : problem.status;
}

void append_problem(std::string& out, const ProblemReply& in) {
    const int status = problem_status(in);
    std::string body;
    append_problem_body(body, in);
    // A route can remap to a status that has no phrase.
    http::append_status_line(out, status, http::reason_phrase(status));
    http::append_field(out, "Content-Type", content_type(in.errors));
    out.append("Cache-Control: no-store\r\n");
    if (!in.date.empty()) {
        http::append_field(out, "Date", in.date);
    }
    if (in.retry_after > milliseconds{0}) {
        http::append_number_field(out, "Retry-After", std::chrono::ceil<seconds>(in.retry_after).count());
    }
    if (status == 405) {
        // RFC 9110 section 15.5.6 asks for it.
        out.append("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n");
    }
    if (in.status) {
        append_idempotency_fields(out, {*in.status, in.operation_id, in.recorded});
    }
    http::append_number_field(out, "Content-Length", body.size());
    http::append_connection(out, in.connection, in.client_version);
    out.append("\r\n");
    if (!in.to_head) {
        out.append(body);
    }
}

}  // namespace onceward::reply
