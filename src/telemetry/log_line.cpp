#include "telemetry/log_line.hpp"

#include "telemetry/json_text.hpp"

#include <algorithm>

namespace onceward::telemetry {
namespace {

bool is_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '\\' && c != '='; });
}

void append_word_or_string(std::string& out, std::string_view text) {
    if (is_word(text)) {
        out += text;
    } else {
        append_json_string(out, text);
    }
}

template <typename AppendText>
void append_value(std::string& out, const LogField& field, AppendText append_text) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
        append_text(out, *text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&field.value)) {
        append_integer(out, *integer);
    } else if (const auto* number = std::get_if<double>(&field.value)) {
        append_json_number(out, *number);
    } else {
        out += std::get<bool>(field.value) ? "true" : "false";
    }
}

}  // namespace

std::string_view to_text(config::LogLevel level) {
    switch (level) {
        case config::LogLevel::trace:
            return "trace";
        case config::LogLevel::debug:
            return "debug";
        case config::LogLevel::info:
            return "info";
        case config::LogLevel::warn:
            return "warn";
        case config::LogLevel::error:
            break;
    }
    return "error";
}

void append_json_line(std::string& out, const LogEvent& event) {
    out += R"({"time":")";
    append_rfc3339(out, event.time);
    out += R"(","level":")";
    out += to_text(event.level);
    out += R"(","event":)";
    append_json_string(out, event.event);
    for (const auto& field : event.fields) {
        out += ',';
        append_json_string(out, field.name);
        out += ':';
        append_value(out, field, append_json_string);
    }
    out += "}\n";
}

void append_text_line(std::string& out, const LogEvent& event) {
    append_rfc3339(out, event.time);
    out += ' ';
    const auto level = to_text(event.level);
    out += level;
    out.append(6 - level.size(), ' ');
    append_json_escaped(out, event.event);
    for (const auto& field : event.fields) {
        out += ' ';
        append_word_or_string(out, field.name);
        out += '=';
        append_value(out, field, append_word_or_string);
    }
    out += '\n';
}

}  // namespace onceward::telemetry
