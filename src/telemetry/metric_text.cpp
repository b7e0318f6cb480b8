#include "telemetry/metric_text.hpp"

#include "telemetry/json_text.hpp"

namespace onceward::telemetry {
namespace {

std::string_view to_text(MetricType type) {
    switch (type) {
        case MetricType::counter:
            return "counter";
        case MetricType::gauge:
            return "gauge";
        case MetricType::histogram:
            break;
    }
    return "histogram";
}

void append_label_value(std::string& out, std::string_view value) {
    for (const char c : value) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
}

}  // namespace

void MetricText::family(std::string_view name, MetricType type, std::string_view help) {
    name_ = name;
    out_ += "# HELP ";
    out_ += name;
    out_ += ' ';
    out_ += help;
    out_ += "\n# TYPE ";
    out_ += name;
    out_ += ' ';
    out_ += to_text(type);
    out_ += '\n';
}

void MetricText::begin_sample(std::string_view suffix, Labels labels) {
    out_ += name_;
    out_ += suffix;
    char separator = '{';
    for (const auto& [name, value] : labels) {
        out_ += separator;
        out_ += name;
        out_ += "=\"";
        append_label_value(out_, value);
        out_ += '"';
        separator = ',';
    }
    out_ += separator == '{' ? " " : "} ";
}

void MetricText::append_value(std::uint64_t value) {
    append_integer(out_, value);
    out_ += '\n';
}

void MetricText::append_value(std::int64_t value) {
    append_integer(out_, value);
    out_ += '\n';
}

void MetricText::append_value(double value) {
    append_json_number(out_, value);
    out_ += '\n';
}

}  // namespace onceward::telemetry
