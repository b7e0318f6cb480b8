#include "admin/record_filter.hpp"

#include "admin/query.hpp"
#include "config/units.hpp"
#include "onceward/base/ascii.hpp"

#include <algorithm>

namespace onceward::admin {

namespace {

constexpr std::size_t prefix_digits_min = 4;

using Complaint = std::optional<std::string>;

Complaint read_state(const std::string& text, store::RecordQuery& query) {
    std::string upper;
    std::transform(text.begin(), text.end(), std::back_inserter(upper), base::to_upper);
    query.state = guard::parse_record_state(upper);
    return query.state ? std::nullopt : Complaint("state: expected PROCESSING, COMPLETED, FAILED, UNKNOWN or EXPIRED");
}

Complaint read_age(const std::string& text, store::RecordQuery& query) {
    const auto parsed = config::parse_duration(text, config::Zero::allowed);
    if (const auto* complaint = std::get_if<config::Complaint>(&parsed)) {
        return "older_than: " + complaint->message;
    }
    query.older_than = std::get<std::chrono::milliseconds>(parsed);
    return std::nullopt;
}

Complaint read_limit(const std::string& text, store::RecordQuery& query) {
    const auto parsed = config::parse_count(text, 1, store::RecordQuery::limit_max);
    if (const auto* complaint = std::get_if<config::Complaint>(&parsed)) {
        return "limit: " + complaint->message;
    }
    query.limit = std::get<std::uint32_t>(parsed);
    return std::nullopt;
}

Complaint read_prefix(const std::string& text, std::string& prefix) {
    prefix = base::to_lower(text);
    const bool digits = prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
    const bool fits = prefix.size() >= prefix_digits_min && prefix.size() <= 2 * RecordId::size;
    return digits && fits ? std::nullopt : Complaint("id: expected 4 to 64 hexadecimal digits, the first of a record's id");
}

}  // namespace

std::variant<RecordFilter, std::string> parse_filter(std::string_view text) {
    const auto parsed = Query::parse(text, {"route", "state", "older_than", "limit", "cursor", "id"});
    if (const auto* complaint = std::get_if<std::string>(&parsed)) {
        return *complaint;
    }
    const auto& query = std::get<Query>(parsed);
    RecordFilter filter;
    filter.query.route = query.value("route").value_or("");
    filter.query.cursor = query.value("cursor").value_or("");
    Complaint complaint;
    if (const auto state = query.value("state")) {
        complaint = read_state(*state, filter.query);
    }
    if (const auto age = query.value("older_than"); age && !complaint) {
        complaint = read_age(*age, filter.query);
    }
    if (const auto limit = query.value("limit"); limit && !complaint) {
        complaint = read_limit(*limit, filter.query);
    }
    if (const auto id = query.value("id"); id && !complaint) {
        complaint = read_prefix(*id, filter.id_prefix);
    }
    if (complaint) {
        return *complaint;
    }
    return filter;
}

}  // namespace onceward::admin
