#include "admin/pages.hpp"
#include "admin/problem.hpp"
#include "admin/query.hpp"
#include "admin/resolution.hpp"
#include "config/units.hpp"
#include "onceward/base/joined.hpp"
#include "onceward/telemetry/log.hpp"

#include <nlohmann/json.hpp>

/// @file
/// The pages about the process itself: its log level and its configuration.

namespace onceward::admin {

namespace {

struct LevelChange {
    config::LogLevel level = config::LogLevel::info;
    milliseconds duration{0};  ///< 0: for good
};

using Duration = std::optional<std::string>;

/// The member or the parameter `for`, none when neither is there; nothing when they are no text or differ.
std::optional<Duration> duration_text(const std::optional<std::string>& parameter, const nlohmann::ordered_json& content) {
    const auto member = content.find("for");
    if (member == content.end() || member->is_null()) {
        return std::optional<Duration>(std::in_place, parameter);
    }
    if (!member->is_string() || (parameter && *parameter != member->get<std::string>())) {
        return std::nullopt;
    }
    return std::optional<Duration>(std::in_place, member->get<std::string>());
}

std::variant<LevelChange, std::string> read_level(std::string_view query, std::string_view text) {
    const auto parameters = Query::parse(query, {"for"});
    const auto content = parse_object(text, {"level", "for"});
    if (const auto* complaint = std::get_if<std::string>(&parameters)) {
        return *complaint;
    }
    if (const auto* complaint = std::get_if<std::string>(&content)) {
        return *complaint;
    }
    const auto& object = std::get<nlohmann::ordered_json>(content);
    const auto member = object.find("level");
    const auto level =
        member != object.end() && member->is_string() ? parse_level(member->get_ref<const std::string&>()) : std::nullopt;
    if (!level) {
        return std::string("level: expected trace, debug, info, warn or error, as in {\"level\": \"debug\"}");
    }
    LevelChange change{*level, milliseconds{0}};
    const auto duration = duration_text(std::get<Query>(parameters).value("for"), object);
    if (!duration) {
        return std::string("for: expected one duration, such as 10m");
    }
    // An empty one is refused like any other that is none: a variable that was not set must not leave the level for good.
    if (*duration) {
        const auto parsed = config::parse_duration(**duration, config::Zero::refused);
        if (const auto* complaint = std::get_if<config::Complaint>(&parsed)) {
            return "for: " + complaint->message;
        }
        change.duration = std::get<milliseconds>(parsed);
    }
    return change;
}

std::string_view to_text(ReloadResult result) {
    switch (result) {
        case ReloadResult::applied:
            return "applied";
        case ReloadResult::unchanged:
            return "unchanged";
        case ReloadResult::rejected:
            break;
    }
    return "rejected";
}

void add_report(nlohmann::ordered_json& content, const ReloadReport& report) {
    content["result"] = to_text(report.result);
    content["changed"] = report.changed;
    content["needs_restart"] = report.needs_restart;
    content["refused"] = report.refused;
    content["errors"] = report.errors;
    content["warnings"] = report.warnings;
}

net::HttpAnswer reload_answer(const ReloadReport& report) {
    if (report.result != ReloadResult::rejected) {
        auto content = nlohmann::ordered_json::object();
        add_report(content, report);
        return json_answer(content);
    }
    auto answer = problem(422, "RELOAD_REJECTED", "the old configuration goes on: errors and refused say why");
    auto content = nlohmann::ordered_json::parse(answer.body);
    add_report(content, report);
    answer.body = json_text(content);
    return answer;
}

}  // namespace

net::HttpAnswer Pages::show_level() const {
    nlohmann::ordered_json content{{"level", telemetry::to_text(telemetry::level())}};
    if (const auto returns = level_.returns()) {
        content["returns_to"] = telemetry::to_text(returns->level);
        content["returns_in_ms"] = returns->in.count();
    }
    return json_answer(content);
}

net::HttpAnswer Pages::change_level(const net::HttpRequest& request, const Actor& actor) {
    const auto read = read_level(request.head.query, request.content);
    if (const auto* complaint = std::get_if<std::string>(&read)) {
        return bad_request(*complaint);
    }
    const auto& change = std::get<LevelChange>(read);
    const auto before = telemetry::level();
    if (change.duration > milliseconds{0}) {
        level_.set_for(change.level, change.duration);
    } else {
        level_.set(change.level);
    }
    audit_level(actor, before, change.level, change.duration);
    return show_level();
}

Task<net::HttpAnswer> Pages::reload(const Actor& actor) {
    const auto report = co_await parts_.control.reload();
    audit_reload(actor, to_text(report.result), base::joined(report.changed, ", "), base::joined(report.needs_restart, ", "));
    co_return reload_answer(report);
}

}  // namespace onceward::admin
