#include "cli/record_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace onceward::cli {

namespace {

using nlohmann::json;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::size_t columns = 8;
/// Enough to tell records apart, and what an access line shows as `key_hash`.
constexpr std::size_t id_digits = 16;

using Row = std::array<std::string, columns>;

std::string text_of(const json& record, const char* member) {
    const auto found = record.find(member);
    if (found == record.end() || found->is_null()) {
        return "-";
    }
    return printable(found->is_string() ? found->get<std::string>() : found->dump());
}

sys_seconds time_of(const json& record, const char* member) {
    const auto found = record.find(member);
    return parse_time(found != record.end() && found->is_string() ? found->get<std::string>() : std::string{});
}

std::string since(const json& record, const char* member, sys_seconds now) {
    const auto time = time_of(record, member);
    return time == sys_seconds{} ? "-" : age_text(std::max(now - time, seconds{0}));
}

Row row_of(const json& record, sys_seconds now) {
    return {text_of(record, "id").substr(0, id_digits),
            text_of(record, "state"),
            text_of(record, "route"),
            text_of(record, "attempt"),
            since(record, "updated_at", now),
            text_of(record, "status"),
            text_of(record, "evidence"),
            text_of(record, "operation_id")};
}

int number(std::string_view text, std::size_t at, std::size_t size) {
    int value = -1;
    const auto digits = text.substr(std::min(at, text.size()), size);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return result.ec == std::errc{} && result.ptr == digits.data() + size ? value : -1;
}

void append_line(std::string& out, const std::string& name, const std::string& value) {
    constexpr std::size_t width = 14;
    if (value != "-") {
        out += name + std::string(width - std::min(width, name.size()), ' ') + value + "\n";
    }
}

std::string with_age(const json& record, const char* member, sys_seconds now) {
    const auto time = time_of(record, member);
    const auto text = text_of(record, member);
    if (time == sys_seconds{}) {
        return text;
    }
    return text + (time > now ? " (in " + age_text(time - now) + ")" : " (" + age_text(now - time) + " ago)");
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return out;
}

std::string age_text(seconds age) {
    struct Unit {
        std::int64_t length;
        char name;
    };
    for (const auto& unit : {Unit{86'400, 'd'}, Unit{3'600, 'h'}, Unit{60, 'm'}}) {
        if (age.count() >= unit.length) {
            return std::to_string(age.count() / unit.length) + unit.name;
        }
    }
    return std::to_string(age.count()) + "s";
}

sys_seconds parse_time(std::string_view text) {
    using namespace std::chrono;
    const year_month_day date{year{number(text, 0, 4)}, month{static_cast<unsigned>(std::max(number(text, 5, 2), 0))},
                              day{static_cast<unsigned>(std::max(number(text, 8, 2), 0))}};
    const int hour = number(text, 11, 2);
    const int minute = number(text, 14, 2);
    const int second = number(text, 17, 2);
    if (!date.ok() || hour < 0 || minute < 0 || second < 0) {
        return {};
    }
    return sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
}

std::string record_table(const std::vector<json>& records, sys_seconds now) {
    std::vector<Row> rows;
    rows.push_back(Row{"ID", "STATE", "ROUTE", "ATTEMPT", "AGE", "STATUS", "EVIDENCE", "OPERATION ID"});
    for (const auto& record : records) {
        rows.push_back(row_of(record, now));
    }
    std::array<std::size_t, columns> widths{};
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < columns; ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string out;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < columns; ++i) {
            const bool last = i + 1 == columns;
            out += row[i] + (last ? "\n" : std::string(widths[i] - row[i].size() + 2, ' '));
        }
    }
    return out;
}

std::string record_text(const json& record, sys_seconds now) {
    std::string out;
    for (const auto* member :
         {"id", "route", "state", "evidence", "failure", "status", "attempt", "fence", "operation_id", "may"}) {
        append_line(out, member, text_of(record, member));
    }
    for (const auto* member : {"created_at", "updated_at", "lease_until", "keep_until", "forget_at"}) {
        append_line(out, member, with_age(record, member, now));
    }
    const auto response = record.find("response");
    if (response == record.end()) {
        return out;
    }
    append_line(out, "body_sha256", text_of(*response, "body_sha256"));
    for (const auto& field : response->value("headers", json::array())) {
        append_line(out, "header", printable(field.at(0).get<std::string>() + ": " + field.at(1).get<std::string>()));
    }
    for (const auto* member : {"body", "body_base64"}) {
        append_line(out, member, text_of(*response, member));
    }
    return out;
}

}  // namespace onceward::cli
