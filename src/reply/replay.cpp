#include "onceward/reply/replay.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/cors.hpp"
#include "onceward/http/date.hpp"
#include "onceward/http/field_line.hpp"
#include "onceward/reply/idempotency_fields.hpp"
#include "reply/recorded_head.hpp"

namespace onceward::reply {

namespace {

/// What one reading of a recorded head finds out.
struct Survey {
    bool valid = false;
    std::string_view date;     ///< of the first answer
    bool cors_applies = true;  ///< the Access-Control-* fields were made for the origin that asks now, or for all
};

Survey survey(std::string_view text, const http::RequestHead& request) {
    RecordedHead head(text);
    Survey found;
    RecordedHead::Field field;
    while (head.next(field)) {
        if (field.kind == http::FieldKind::access_control && base::iequals(field.name, "Access-Control-Allow-Origin")) {
            found.cors_applies = found.cors_applies && (field.value == "*" || field.value == request.headers.find("Origin"));
        } else if (field.kind == http::FieldKind::date && found.date.empty()) {
            found.date = field.value;
        }
    }
    found.valid = head.valid();
    return found;
}

bool has_content(int status, const http::RequestHead& request) {
    return status != 204 && status != 304 && request.method != "HEAD";
}

bool is_sendable(const guard::Record& record) {
    return record.response && !record.response->truncated && record.response->status >= 200 && record.response->status <= 999;
}

void append_recorded_fields(std::string& out, const Replay& in, const Survey& found) {
    RecordedHead head(in.record.response->head);
    http::CorsFields cors(in.cors, in.request);
    RecordedHead::Field field;
    while (head.next(field)) {
        switch (field.kind) {
            case http::FieldKind::access_control:
                if (found.cors_applies) {
                    cors.append(out, field.name, field.value);
                }
                break;
            case http::FieldKind::date:
                break;
            case http::FieldKind::content_length:
                if (in.request.method == "HEAD") {
                    http::append_field(out, field.name, field.value);
                }
                break;
            default:
                http::append_field(out, field.name, field.value);
        }
    }
    cors.finish(out);
}

/// The `Date` of the first answer; the time of its completion where it was recorded without one.
void append_original_date(std::string& out, std::string_view date, StoreTime time) {
    if (!date.empty()) {
        http::append_field(out, "Idempotency-Original-Date", date);
        return;
    }
    out.append("Idempotency-Original-Date: ");
    http::append_date(out, std::chrono::sys_seconds(std::chrono::floor<seconds>(time.time_since_epoch())));
    out.append("\r\n");
}

}  // namespace

ReplayError append_replay_head(std::string& out, const Replay& in) {
    if (!is_sendable(in.record)) {
        return ReplayError::unreadable;
    }
    const guard::RecordedResponse& response = *in.record.response;
    const Survey found = survey(response.head, in.request);
    if (!found.valid) {
        return ReplayError::unreadable;
    }
    http::append_status_line(out, response.status, RecordedHead(response.head).reason());
    append_recorded_fields(out, in, found);
    http::append_via(out, http::Version::http_1_1);
    if (!in.date.empty()) {
        http::append_field(out, "Date", in.date);
    }
    append_idempotency_fields(out, {guard::IdempotencyStatus::replayed, in.record.operation_id, Recorded::yes});
    out.append("Idempotency-Replayed: true\r\n");
    append_original_date(out, found.date, in.record.updated_at);
    if (has_content(response.status, in.request)) {
        http::append_number_field(out, "Content-Length", response.content_size());
    }
    http::append_connection(out, in.connection, in.request.version);
    out.append("\r\n");
    return ReplayError::none;
}

std::uint64_t replay_bytes_in_pieces(const Replay& in) {
    const auto& response = in.record.response;
    return response && has_content(response->status, in.request) ? response->bytes_in_pieces : 0;
}

std::string_view replay_body(const Replay& in) {
    const auto& response = in.record.response;
    return response && has_content(response->status, in.request) ? std::string_view(response->body) : std::string_view{};
}

}  // namespace onceward::reply
