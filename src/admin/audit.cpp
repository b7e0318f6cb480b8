#include "admin/audit.hpp"

#include "onceward/base/hex.hpp"
#include "onceward/telemetry/log.hpp"

namespace onceward::admin {

namespace {

constexpr std::string_view event = "audit";

std::string_view token_of(const Actor& actor) {
    return actor.token.empty() ? "none" : std::string_view(actor.token);
}

std::string_view name_of(const guard::OperatorAction& action) {
    if (std::holds_alternative<guard::Release>(action)) {
        return "record.release";
    }
    return std::holds_alternative<guard::ResolveFailed>(action) ? "record.resolve-failed" : "record.resolve-completed";
}

std::string text_of(const std::optional<guard::Record>& record) {
    return record ? short_text(*record) : "absent";
}

/// What every line about a record says, and what `verdict`, `before` and `after` were.
void write(const Actor& actor, const guard::OperatorCommand& command, std::string_view verdict, const std::string& before,
           const std::string& after) {
    const auto id = base::to_hex(command.id.bytes);
    telemetry::audit(event, {{"action", name_of(command.action)},
                             {"peer", std::string_view(actor.peer)},
                             {"token", token_of(actor)},
                             {"id", std::string_view(id)},
                             {"route", std::string_view(command.route)},
                             {"fence", command.fence.value},
                             {"force", command.force == guard::Force::yes},
                             {"verdict", verdict},
                             {"before", std::string_view(before)},
                             {"after", std::string_view(after)}});
}

}  // namespace

std::string short_text(const guard::Record& record) {
    std::string text(guard::to_text(record.state));
    text += " attempt=" + std::to_string(record.attempt.value) + " fence=" + std::to_string(record.fence.value);
    if (record.response) {
        text += " status=" + std::to_string(record.response->status);
    }
    if (!record.evidence.empty()) {
        text += " evidence=" + record.evidence;
    }
    return text + (record.may ? " may" : "");
}

void audit_record(const Actor& actor, const guard::OperatorCommand& command, const guard::OperatorReply& reply) {
    const bool applied = reply.verdict == guard::OperatorVerdict::applied;
    const auto before = text_of(reply.before);
    write(actor, command, guard::to_text(reply.verdict), before, applied ? text_of(reply.after) : before);
}

void audit_record_failure(const Actor& actor, const guard::OperatorCommand& command, std::string_view error) {
    write(actor, command, error, "not known", "not known");
}

void audit_level(const Actor& actor, config::LogLevel before, config::LogLevel after, milliseconds duration) {
    telemetry::audit(event, {{"action", std::string_view("log-level")},
                             {"peer", std::string_view(actor.peer)},
                             {"token", token_of(actor)},
                             {"before", telemetry::to_text(before)},
                             {"after", telemetry::to_text(after)},
                             {"for_ms", duration.count()}});
}

void audit_level_return(config::LogLevel before, config::LogLevel after) {
    telemetry::audit(event, {{"action", std::string_view("log-level.return")},
                             {"before", telemetry::to_text(before)},
                             {"after", telemetry::to_text(after)}});
}

void audit_reload(const Actor& actor, std::string_view result, std::string_view changed, std::string_view needs_restart) {
    telemetry::audit(event, {{"action", std::string_view("reload")},
                             {"peer", std::string_view(actor.peer)},
                             {"token", token_of(actor)},
                             {"verdict", result},
                             {"changed", changed},
                             {"needs_restart", needs_restart}});
}

}  // namespace onceward::admin
