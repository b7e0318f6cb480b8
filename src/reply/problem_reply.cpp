#include "onceward/reply/problem_reply.hpp"

#include "onceward/http/field_line.hpp"
#include "onceward/reply/idempotency_fields.hpp"
#include "reply/problem_body.hpp"

#include <array>

namespace onceward::reply {

namespace {

struct Reason {
    int status;
    std::string_view phrase;
};

constexpr std::array reasons{
    Reason{400, "Bad Request"},
    Reason{405, "Method Not Allowed"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{413, "Content Too Large"},
    Reason{414, "URI Too Long"},
    Reason{417, "Expectation Failed"},
    Reason{422, "Unprocessable Content"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{502, "Bad Gateway"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
};

/// May be empty: a route can remap to any 4xx or 5xx, and a phrase means nothing to a machine.
std::string_view reason_of(int status) {
    for (const auto& reason : reasons) {
        if (reason.status == status) {
            return reason.phrase;
        }
    }
    return {};
}

std::string_view content_type(const config::Errors* errors) {
    return errors != nullptr && errors->format == config::ErrorFormat::plain ? "application/json" : "application/problem+json";
}

}  // namespace

int problem_status(guard::ProblemCode code, const config::Errors* errors) {
    const guard::ProblemInfo& problem = guard::info(code);
    if (errors != nullptr) {
        if (const auto own = errors->status.find(problem.name); own != errors->status.end()) {
            return own->second;
        }
    }
    return problem.status;
}

void append_problem(std::string& out, const ProblemReply& in) {
    const int status = problem_status(in.code, in.errors);
    std::string body;
    append_problem_body(body, in);
    http::append_status_line(out, status, reason_of(status));
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
