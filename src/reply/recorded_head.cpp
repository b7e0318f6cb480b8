#include "reply/recorded_head.hpp"

#include "http/framing.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/http/connection_options.hpp"
#include "onceward/http/field_kind.hpp"
#include "onceward/http/field_line.hpp"
#include "onceward/reply/replay.hpp"

#include <algorithm>

namespace onceward::reply {

namespace {

bool is_excepted(std::span<const std::string> except, std::string_view name) {
    return std::any_of(except.begin(), except.end(), [&](const std::string& other) { return base::iequals(other, name); });
}

/// Whether a field may stand in a record: the same rule when it is written and when it is read again.
bool is_recordable(http::FieldKind kind) {
    return !http::is_of_the_hop(kind) && kind != http::FieldKind::claim && kind != http::FieldKind::idempotency_own;
}

bool is_clean(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t'; });
}

}  // namespace

void append_recorded_head(std::string& out, const http::ResponseHead& head, std::span<const std::string> except,
                          std::string_view method) {
    const http::ConnectionOptions options(head.headers);
    out.append(head.reason).append("\r\n");
    head.headers.for_each([&](std::string_view name, std::string_view value) {
        if (is_recordable(http::classify(name)) && !options.names(name) && !is_excepted(except, name)) {
            http::append_field(out, name, value);
        }
    });
    if (method == "HEAD") {
        // What it says of the content of GET can't be told from what is recorded.
        if (const auto length = http::parse_length(head.headers.find("Content-Length"))) {
            http::append_number_field(out, "Content-Length", *length);
        }
    }
}

RecordedHead::RecordedHead(std::string_view text) : rest_(text) {
    reason_ = take_line();
    valid_ = valid_ && is_clean(reason_);
}

std::string_view RecordedHead::take_line() {
    const std::size_t end = rest_.find("\r\n");
    if (end == std::string_view::npos) {
        valid_ = false;
        rest_ = {};
        return {};
    }
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 2);
    return line;
}

bool RecordedHead::next(Field& field) {
    if (rest_.empty() || !valid_) {
        return false;
    }
    const std::string_view line = take_line();
    const std::size_t colon = std::min(line.find(':'), line.size());
    field.name = line.substr(0, colon);
    valid_ = valid_ && colon < line.size() && base::is_token(field.name);
    if (!valid_) {
        return false;
    }
    field.value = base::trim(line.substr(colon + 1));
    field.kind = http::classify(field.name);
    const bool is_length = field.kind == http::FieldKind::content_length && http::parse_length(field.value).has_value();
    valid_ = is_clean(field.value) && (is_recordable(field.kind) || is_length);
    return valid_;
}

}  // namespace onceward::reply
