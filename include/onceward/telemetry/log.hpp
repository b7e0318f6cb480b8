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

/// The process's log: one line an event to standard output, among the access lines, JSON or text. Safe from every thread; never
/// blocks a request: lines go through a bounded queue, and what does not fit is dropped and counted. Not for the request path,
/// which has `AccessLog`.
///
/// JSON: `{"time": RFC 3339 in UTC with milliseconds, "level", "event", fields by their names}`. Text: `time level event
/// name=value`. `open_log` is called by the main thread, while no loop runs.
void open_log(const config::Log& options);
/// Writes what is queued, for a second at most, and stops the writer. Before `open_log` and after this, lines are written
/// directly. From any thread; a second caller waits for the first.
void close_log();
/// Lines below `level` are left out from now on. From any thread.
void set_level(config::LogLevel level);
[[nodiscard]] config::LogLevel level();
/// How lines look from now on. From any thread.
void set_format(config::LogFormat format);
/// Lines that found the queue full, so that the oldest one went, or that standard output did not take. From any thread.
[[nodiscard]] std::uint64_t log_lines_dropped();
/// `trace`, `debug`, `info`, `warn`, `error`.
[[nodiscard]] std::string_view to_text(config::LogLevel level);

void log(config::LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

/// The same as `info`, whatever the level: for what somebody did to this process, or to what it remembers.
void audit(std::string_view event, std::initializer_list<LogField> fields);

inline void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(config::LogLevel::info, event, fields);
}
inline void warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(config::LogLevel::warn, event, fields);
}
inline void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(config::LogLevel::error, event, fields);
}
inline void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(config::LogLevel::debug, event, fields);
}

}  // namespace onceward::telemetry
