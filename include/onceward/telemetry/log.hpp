#pragma once

#include "onceward/config/options.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace onceward::telemetry {

/// A named value of a log line. Text is escaped by the writer: client bytes can't break a line.
struct LogField {
    std::string_view name;
    std::variant<std::string_view, std::int64_t, double, bool> value;
};

/// The process's log: one line an event to standard error, JSON or text. Safe from every thread; never blocks a request: lines go
/// through a bounded queue, and what does not fit is dropped and counted. Not for the request path (see `AccessLog`).
void open_log(const config::Log& options);
/// Writes what is queued and stops the writer. After it lines are written directly.
void close_log();
void log(config::LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

inline void info(std::string_view event, std::initializer_list<LogField> fields = {}) { log(config::LogLevel::info, event, fields); }
inline void warn(std::string_view event, std::initializer_list<LogField> fields = {}) { log(config::LogLevel::warn, event, fields); }
inline void error(std::string_view event, std::initializer_list<LogField> fields = {}) { log(config::LogLevel::error, event, fields); }
inline void debug(std::string_view event, std::initializer_list<LogField> fields = {}) { log(config::LogLevel::debug, event, fields); }

}  // namespace onceward::telemetry
