#include "admin/record_json.hpp"

#include "onceward/base/base64.hpp"
#include "onceward/base/hex.hpp"
#include "reply/recorded_head.hpp"
#include "telemetry/json_text.hpp"

#include <nlohmann/json.hpp>

namespace onceward::admin {

namespace {

using Json = nlohmann::ordered_json;

Json time_or_null(StoreTime time, bool shown) {
    return shown && to_micros(time) > 0 ? Json(time_text(time)) : Json();
}

/// `[[name, value], …]` of a recorded head.
Json headers_json(std::string_view head) {
    Json out = Json::array();
    reply::RecordedHead lines(head);
    reply::RecordedHead::Field field;
    while (lines.next(field)) {
        out.push_back(Json::array({field.name, field.value}));
    }
    return out;
}

bool is_json_text(const std::string& body) {
    try {
        return !Json(body).dump().empty();
    } catch (const Json::type_error&) {
        return false;
    }
}

Json response_json(const guard::Record& record, store::Detail detail) {
    const auto& response = *record.response;
    Json out{
        {"status", response.status}, {"truncated", response.truncated}, {"body_sha256", base::to_hex(response.digest.bytes)}};
    if (detail == store::Detail::content && record.state == guard::RecordState::completed && !response.truncated) {
        out["headers"] = headers_json(response.head);
        if (response.bytes_in_pieces > 0) {
            // Too large to be shown.
            out["body_bytes"] = response.bytes_in_pieces;
        } else if (is_json_text(response.body)) {
            out["body"] = response.body;
        } else {
            out["body_base64"] = base::to_base64(response.body);
        }
    }
    return out;
}

}  // namespace

std::string time_text(StoreTime time) {
    std::string text;
    telemetry::append_rfc3339(text, time);
    return text;
}

std::optional<RecordId> parse_record_id(std::string_view text) {
    RecordId id;
    return base::from_hex(text, id.bytes) ? std::optional(id) : std::nullopt;
}

Json record_json(const RecordId& id, const guard::Record& record) {
    const bool processing = record.state == guard::RecordState::processing;
    return {{"id", base::to_hex(id.bytes)},
            {"route", record.route},
            {"state", guard::to_text(record.state)},
            {"operation_id", std::to_string(record.operation_id.value)},
            {"attempt", record.attempt.value},
            {"fence", record.fence.value},
            {"created_at", time_text(record.created_at)},
            {"updated_at", time_text(record.updated_at)},
            {"lease_until", time_or_null(record.lease_until, processing)},
            {"keep_until", time_or_null(record.keep_until, !processing)},
            {"status", record.response ? Json(record.response->status) : Json()},
            {"evidence", record.evidence.empty() ? Json() : Json(record.evidence)}};
}

Json record_json(const store::ListedRecord& listed) {
    if (listed.record) {
        return record_json(listed.id, *listed.record);
    }
    return {{"id", base::to_hex(listed.id.bytes)}, {"route", listed.route}, {"state", "CORRUPT"}};
}

Json whole_record_json(const store::FoundRecord& found, store::Detail detail) {
    const auto& record = found.record;
    auto out = record_json(found.id, record);
    out["forget_at"] = time_or_null(record.forget_at, true);
    out["may"] = record.may;
    if (record.state == guard::RecordState::failed) {
        out["failure"] = guard::to_text(record.failure);
    }
    if (record.response) {
        out["response"] = response_json(record, detail);
    }
    return out;
}

}  // namespace onceward::admin
