#include "admin/resolution.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/base64.hpp"
#include "onceward/crypto/sha256.hpp"
#include "onceward/http/reason.hpp"
#include "onceward/reply/replay.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace onceward::admin {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t header_bytes_max = 64 * 1024;
constexpr int content_depth_max = 4;

std::optional<std::int64_t> parse_positive(std::string_view text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc{} && result.ptr == text.data() + text.size();
    return whole && value > 0 ? std::optional(value) : std::nullopt;
}

bool is_field_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t'; });
}

using Complaint = std::optional<std::string>;

Complaint add_field(http::HeaderList& headers, const std::string& name, const Json& value) {
    if (!value.is_string()) {
        return "headers: a value is no text";
    }
    const auto& text = value.get_ref<const std::string&>();
    if (!base::is_token(name) || !is_field_value(text)) {
        return "headers: a name or a value can't stand in a header";
    }
    headers.add(name, base::trim(text));
    return headers.text_bytes() > header_bytes_max ? Complaint("headers: more than 64 KiB") : std::nullopt;
}

Complaint add_member(http::HeaderList& headers, const std::string& name, const Json& value) {
    if (!value.is_array()) {
        return add_field(headers, name, value);
    }
    for (const auto& each : value) {
        if (auto complaint = add_field(headers, name, each)) {
            return complaint;
        }
    }
    return std::nullopt;
}

Complaint add_pair(http::HeaderList& headers, const Json& pair) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
        return "headers: expected an object, or a list of [name, value]";
    }
    return add_field(headers, pair[0].get_ref<const std::string&>(), pair[1]);
}

Complaint read_headers(const Json& content, http::HeaderList& headers) {
    const auto given = content.find("headers");
    if (given == content.end() || given->is_null()) {
        return std::nullopt;
    }
    if (!given->is_object() && !given->is_array()) {
        return "headers: expected an object, or a list of [name, value]";
    }
    for (const auto& [name, value] : given->items()) {
        if (auto complaint = given->is_object() ? add_member(headers, name, value) : add_pair(headers, value)) {
            return complaint;
        }
    }
    return std::nullopt;
}

std::variant<std::string, Complaint> read_body(const Json& content) {
    const auto text = content.find("body");
    const auto bytes = content.find("body_base64");
    if (text != content.end() && bytes != content.end()) {
        return Complaint("body and body_base64: expected one of them");
    }
    if (text != content.end()) {
        return text->is_string() ? std::variant<std::string, Complaint>(text->get<std::string>())
                                 : Complaint("body: expected text, byte for byte what clients get; for JSON, its text");
    }
    if (bytes == content.end()) {
        return std::string{};
    }
    auto decoded = bytes->is_string() ? base::from_base64(bytes->get_ref<const std::string&>()) : std::nullopt;
    return decoded ? std::variant<std::string, Complaint>(std::move(*decoded)) : Complaint("body_base64: not Base64");
}

std::optional<int> read_status(const Json& content) {
    const auto given = content.find("status");
    if (given == content.end() || !given->is_number_integer()) {
        return std::nullopt;
    }
    const auto status = given->get<std::int64_t>();
    return status >= 200 && status <= 599 ? std::optional(static_cast<int>(status)) : std::nullopt;
}

bool has_no_content(int status) {
    return status == 204 || status == 205 || status == 304;
}

std::variant<guard::OperatorAction, std::string> read_completed(const Json& content, const config::Route& route) {
    const auto status = read_status(content);
    if (!status) {
        return std::string("status: expected the status that clients get, 200 to 599");
    }
    http::ResponseHead head;
    head.status = *status;
    head.reason = http::reason_phrase(*status);
    if (auto complaint = read_headers(content, head.headers)) {
        return *complaint;
    }
    auto body = read_body(content);
    if (auto* complaint = std::get_if<Complaint>(&body)) {
        return **complaint;
    }
    guard::ResolveCompleted out;
    out.response.status = *status;
    out.response.body = std::get<std::string>(std::move(body));
    if (has_no_content(*status) && !out.response.body.empty()) {
        return "body: an answer with status " + std::to_string(*status) + " has none";
    }
    if (out.response.body.size() > route.max_recorded_body) {
        return "body: larger than max_recorded_body of the route";
    }
    out.response.digest = crypto::sha256(out.response.body);
    reply::append_recorded_head(out.response.head, head, route.record_headers_except, "POST");
    return guard::OperatorAction(std::move(out));
}

/// Sees the names of a text's objects pass by, each with its depth: of two members of one name the parser keeps one and says
/// nothing.
class MemberNames {
public:
    void see(int depth, Json::parse_event_t event, const Json& value) {
        const auto at = static_cast<std::size_t>(depth);
        if (event == Json::parse_event_t::object_start && at + 1 < open_.size()) {
            open_[at + 1].clear();
        } else if (event == Json::parse_event_t::key && at < open_.size()) {
            repeated_ = !open_[at].insert(value.get<std::string>()).second || repeated_;
        }
    }
    [[nodiscard]] bool repeated() const { return repeated_; }

private:
    std::array<std::set<std::string>, content_depth_max + 2> open_;  ///< of the object that the parser is in, at each depth
    bool repeated_ = false;
};

}  // namespace

std::variant<nlohmann::ordered_json, std::string> parse_object(std::string_view content,
                                                               std::initializer_list<std::string_view> members) {
    if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return Json::object();
    }
    MemberNames names;
    const auto look = [&names](int depth, Json::parse_event_t event, Json& value) {
        names.see(depth, event, value);
        // What lies deeper is never looked at, and would only take memory.
        return depth <= content_depth_max;
    };
    auto parsed = Json::parse(content, look, false);
    if (!parsed.is_object()) {
        return std::string("the content is no JSON object");
    }
    if (names.repeated()) {
        return std::string("the content has a member twice: expected each once");
    }
    for (const auto& [name, value] : parsed.items()) {
        if (std::find(members.begin(), members.end(), name) == members.end()) {
            std::string expected;
            for (const auto member : members) {
                expected.append(expected.empty() ? "" : ", ").append(member);
            }
            return "the content has a member that is not known here: expected " + expected;
        }
    }
    return parsed;
}

std::variant<Fence, std::string> read_fence(const std::optional<std::string>& parameter, const nlohmann::ordered_json& content) {
    std::optional<std::string> member;
    if (const auto given = content.find("fence"); given != content.end()) {
        member = given->is_string() ? given->get<std::string>() : given->dump();
    }
    if (!parameter && !member) {
        return std::string{};
    }
    if (parameter && member && *parameter != *member) {
        return std::string("two fences that differ: expected one");
    }
    const auto fence = parse_positive(parameter ? *parameter : *member);
    if (!fence) {
        return std::string("fence: expected the number that the record shows");
    }
    return Fence{*fence};
}

std::variant<guard::OperatorAction, std::string> read_resolution(const nlohmann::ordered_json& content,
                                                                 const config::Route& route) {
    const auto outcome = content.find("outcome");
    if (outcome == content.end() || !outcome->is_string()) {
        return std::string("outcome: expected completed or failed");
    }
    const auto& word = outcome->get_ref<const std::string&>();
    if (word == "completed") {
        return read_completed(content, route);
    }
    if (word != "failed") {
        return std::string("outcome: expected completed or failed");
    }
    for (const auto* member : {"status", "headers", "body", "body_base64"}) {
        if (content.contains(member)) {
            return std::string(member) + ": a failed outcome has no answer";
        }
    }
    return guard::OperatorAction(guard::ResolveFailed{});
}

}  // namespace onceward::admin
