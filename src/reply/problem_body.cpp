#include "reply/problem_body.hpp"

#include "onceward/http/field_line.hpp"

#include <nlohmann/json.hpp>

namespace onceward::reply {

namespace {

/// A JSON string of any text: messages come from configuration and may hold anything, broken UTF-8 included.
void append_json_text(std::string& out, std::string_view text) {
    out.append(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// A member whose value is known to need no escaping.
void append_member(std::string& out, std::string_view name, std::string_view value) {
    out.append(out.back() == '{' ? "\"" : ", \"").append(name).append("\": \"").append(value).append("\"");
}

void append_text_member(std::string& out, std::string_view name, std::string_view value) {
    out.append(", \"").append(name).append("\": ");
    append_json_text(out, value);
}

void append_number_member(std::string& out, std::string_view name, int value) {
    out.append(", \"").append(name).append("\": ");
    http::append_number(out, value);
}

std::string_view message_of(const guard::ProblemInfo& problem, const config::Errors* errors) {
    if (errors != nullptr) {
        if (const auto own = errors->messages.find(problem.name); own != errors->messages.end()) {
            return own->second;
        }
    }
    return problem.message;
}

void append_mismatch(std::string& out, std::span<const std::string> parts) {
    out.append(", \"mismatch\": [");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        out.append(i > 0 ? ", " : "");
        append_json_text(out, parts[i]);
    }
    out.append("]");
}

}  // namespace

void append_problem_body(std::string& out, const ProblemReply& in) {
    const guard::ProblemInfo problem = in.status ? guard::info(in.code) : guard::unguarded_info(in.code);
    const std::string_view message = message_of(problem, in.errors);
    out.append("{");
    if (in.errors != nullptr && in.errors->format == config::ErrorFormat::plain) {
        append_member(out, "code", problem.name);
        append_text_member(out, "message", message);
        out.append("}\n");
        return;
    }
    append_member(out, "type", problem.type);
    append_text_member(out, "title", problem.title);
    append_number_member(out, "status", problem_status(in));
    append_text_member(out, "detail", problem.message);
    append_member(out, "code", problem.name);
    append_text_member(out, "message", message);
    append_member(out, "retry", guard::to_text(in.retry.value_or(problem.retry)));
    if (in.operation_id) {
        // A string: 64 bits lose digits as a JavaScript number.
        out.append(", \"operation_id\": \"");
        http::append_number(out, in.operation_id->value);
        out.append("\"");
    }
    if (!in.mismatch.empty()) {
        append_mismatch(out, in.mismatch);
    }
    if (in.original_status != 0) {
        append_number_member(out, "original_status", in.original_status);
    }
    out.append("}\n");
}

}  // namespace onceward::reply
