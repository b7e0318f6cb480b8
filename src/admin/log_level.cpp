#include "admin/log_level.hpp"

#include "admin/audit.hpp"
#include "onceward/telemetry/log.hpp"

namespace onceward::admin {

std::optional<config::LogLevel> parse_level(std::string_view text) {
    using config::LogLevel;
    for (const auto level : {LogLevel::trace, LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
        if (telemetry::to_text(level) == text) {
            return level;
        }
    }
    return std::nullopt;
}

bool LogLevelSwitch::is_for_a_while() const {
    return passing_ && telemetry::level() == passing_->level;
}

void LogLevelSwitch::set(config::LogLevel level) {
    net::Deadlines::clear(*this);
    passing_.reset();
    telemetry::set_level(level);
}

void LogLevelSwitch::set_for(config::LogLevel level, milliseconds duration) {
    const auto before = is_for_a_while() ? passing_->before : telemetry::level();
    passing_ = Passing{level, before};
    telemetry::set_level(level);
    deadlines_.set(*this, duration);
}

std::optional<LogLevelSwitch::Return> LogLevelSwitch::returns() const {
    if (!is_for_a_while()) {
        return std::nullopt;
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline() - std::chrono::steady_clock::now());
    return Return{passing_->before, std::max(left, milliseconds{0})};
}

void LogLevelSwitch::on_deadline() {
    if (is_for_a_while()) {
        telemetry::set_level(passing_->before);
        audit_level_return(passing_->level, passing_->before);
    }
    passing_.reset();
}

}  // namespace onceward::admin
