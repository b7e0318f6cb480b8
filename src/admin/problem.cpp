#include "admin/problem.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/reason.hpp"

#include <nlohmann/json.hpp>

namespace onceward::admin {

namespace {

/// `FENCE_MISSING` is `urn:onceward:problem:fence-missing`.
std::string type_of(std::string_view code) {
    std::string type = "urn:onceward:problem:";
    for (const char c : code) {
        type += c == '_' ? '-' : base::to_lower(c);
    }
    return type;
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& content) {
    return content.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

net::HttpAnswer problem(int status, std::string_view code, std::string_view detail) {
    net::HttpAnswer answer;
    answer.status = status;
    answer.content_type = "application/problem+json";
    answer.body = json_text({{"type", type_of(code)},
                             {"title", http::reason_phrase(status)},
                             {"status", status},
                             {"detail", detail},
                             {"code", code}});
    return answer;
}

net::HttpAnswer bad_request(std::string_view detail) {
    return problem(400, "BAD_REQUEST", detail);
}

net::HttpAnswer not_found(std::string_view detail) {
    return problem(404, "NOT_FOUND", detail);
}

net::HttpAnswer json_answer(const nlohmann::ordered_json& content) {
    net::HttpAnswer answer;
    answer.content_type = "application/json";
    answer.body = json_text(content);
    return answer;
}

}  // namespace onceward::admin
