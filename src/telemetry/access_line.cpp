#include "telemetry/access_line.hpp"

#include "telemetry/json_text.hpp"

namespace onceward::telemetry {
namespace {

constexpr std::size_t label_shown_max = 64;

void append_name(std::string& out, std::string_view name) {
    out += ",\"";
    out += name;
    out += "\":";
}

void append_text(std::string& out, std::string_view name, std::string_view text, std::size_t shown_max) {
    append_name(out, name);
    out += '"';
    append_json_escaped(out, text.substr(0, shown_max));
    if (text.size() > shown_max) {
        out += "...";
    }
    out += '"';
}

void append_text_if_any(std::string& out, std::string_view name, std::string_view text) {
    if (!text.empty()) {
        append_text(out, name, text, label_shown_max);
    }
}

/// Milliseconds with three decimals.
void append_milliseconds(std::string& out, std::string_view name, std::chrono::microseconds duration) {
    append_name(out, name);
    const auto micros = duration.count();
    append_integer(out, std::int64_t{micros / 1000});
    const auto rest = micros % 1000;
    out += '.';
    out += static_cast<char>('0' + rest / 100);
    out += static_cast<char>('0' + rest / 10 % 10);
    out += static_cast<char>('0' + rest % 10);
}

}  // namespace

void append_access_line(std::string& out, const AccessEntry& entry, StoreTime time) {
    out += R"({"time":")";
    append_rfc3339(out, time);
    out += '"';
    append_text_if_any(out, "route", entry.route);
    append_text(out, "method", entry.method, method_shown_max);
    append_text(out, "path", entry.path, path_shown_max);
    append_name(out, "status");
    append_integer(out, std::int64_t{entry.status});
    append_text(out, "idempotency_status", guard::to_text(entry.idempotency), label_shown_max);
    if (entry.operation_id != 0) {
        // As a string: readers that take numbers for doubles would lose digits.
        append_name(out, "operation_id");
        out += '"';
        append_integer(out, entry.operation_id);
        out += '"';
    }
    if (entry.attempt != 0) {
        append_name(out, "attempt");
        append_integer(out, std::uint64_t{entry.attempt});
    }
    append_text_if_any(out, "key_hash", entry.key_hash);
    append_text_if_any(out, "code", entry.code);
    if (entry.client_gone) {
        append_name(out, "client_gone");
        out += "true";
    }
    if (entry.upstream.count() >= 0) {
        append_milliseconds(out, "upstream_ms", entry.upstream);
    }
    if (entry.store.count() >= 0) {
        append_milliseconds(out, "store_ms", entry.store);
    }
    append_milliseconds(out, "total_ms", entry.total);
    append_name(out, "bytes_in");
    append_integer(out, entry.bytes_in);
    append_name(out, "bytes_out");
    append_integer(out, entry.bytes_out);
    if (!entry.request_id.empty()) {
        append_text(out, "request_id", entry.request_id, request_id_shown_max);
    }
    append_text_if_any(out, "trace_id", entry.trace_id);
    out += "}\n";
}

}  // namespace onceward::telemetry
