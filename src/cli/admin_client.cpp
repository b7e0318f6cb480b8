#include "cli/admin_client.hpp"

#include "cli/output.hpp"
#include "cli/record_table.hpp"

#include <algorithm>

namespace onceward::cli {

namespace {

constexpr std::size_t page_max = 1'000;

Stop refusal_of(const HttpReply& reply) {
    const auto problem = nlohmann::json::parse(reply.content, nullptr, false);
    if (!problem.is_object() || !problem.contains("detail") || !problem["detail"].is_string()) {
        return {failed, "the admin listener answered " + std::to_string(reply.status) + ": is it Onceward's?"};
    }
    auto text = printable(problem["detail"].get<std::string>());
    std::string code;
    if (problem.contains("code") && problem["code"].is_string()) {
        code = problem["code"].get<std::string>();
        text += " (" + printable(code) + ")";
    }
    if (reply.status == 401) {
        text += "; --token-file FILE names it here";
    }
    // What only the listener can tell is wrong with an option, such as a route that is not configured.
    return {reply.status == 400 && code == "BAD_REQUEST" ? bad_usage : failed, text};
}

}  // namespace

AdminClient::Json AdminClient::call(const std::string& method, const std::string& target, const std::string& content) {
    const auto sent = send(endpoint_, {method, target, content}, limit_);
    if (const auto* what = std::get_if<std::string>(&sent)) {
        throw Stop{
            failed,
            "the admin listener at " + config::to_text(endpoint_.address) + " can't be asked: " + *what +
                "\nIt listens where the configuration says admin: ADDRESS. Here -c FILE or --admin URL says where that is."};
    }
    const auto& reply = std::get<HttpReply>(sent);
    if (reply.status != 200) {
        throw refusal_of(reply);
    }
    auto parsed = Json::parse(reply.content, nullptr, false);
    if (!parsed.is_object()) {
        throw Stop{failed, "the answer of " + config::to_text(endpoint_.address) + " is not what an admin listener says"};
    }
    return parsed;
}

AdminClient::Page AdminClient::list(const std::string& query, std::size_t limit) {
    Page page;
    std::string cursor;
    do {
        const auto wanted = std::min(limit - page.records.size(), page_max);
        auto target = "/records?limit=" + std::to_string(wanted) + query;
        if (!cursor.empty()) {
            target += "&cursor=" + query_escaped(cursor);
        }
        const auto answer = call("GET", target);
        for (const auto& record : answer.value("records", Json::array())) {
            page.records.push_back(record);
        }
        const auto next = answer.find("next_cursor");
        cursor = next != answer.end() && next->is_string() ? next->get<std::string>() : std::string{};
    } while (!cursor.empty() && page.records.size() < limit);
    page.more = !cursor.empty();
    return page;
}

}  // namespace onceward::cli
