#pragma once

#include "onceward/base/time.hpp"
#include "onceward/telemetry/log.hpp"

namespace onceward::telemetry {

/// What a line of the log says; views live for the call.
struct LogEvent {
    StoreTime time;
    config::LogLevel level = config::LogLevel::info;
    std::string_view event;
    std::initializer_list<LogField> fields;
};

/// Appends `{"time":…,"level":…,"event":…, fields}` and a newline.
void append_json_line(std::string& out, const LogEvent& event);
/// Appends `time level event name=value` and a newline. Values that are not plain words are quoted as in JSON.
void append_text_line(std::string& out, const LogEvent& event);

}  // namespace onceward::telemetry
