#include "config/keys.hpp"
#include "config/outcome_syntax.hpp"
#include "config/source_syntax.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/request/identify.hpp"
#include "onceward/route/route_table.hpp"

#include <algorithm>
#include <array>

namespace onceward::config {

namespace {

std::optional<std::string> name_complaint(std::string_view text) {
    return is_plain_name(text) ? std::nullopt
                               : std::optional(shown(text) + " is not a name: expected 1 to 64 of A-Z a-z 0-9 . _ -");
}

std::optional<std::string> path_complaint(std::string_view text) {
    auto error = route::pattern_error(text);
    return error.empty() ? std::nullopt : std::optional(shown(text) + " is not a path pattern: " + error);
}

std::optional<std::string> method_complaint(std::string_view text) {
    const auto fits = [](char c) { return (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '-' || c == '_'; };
    if (text.empty() || !std::all_of(text.begin(), text.end(), fits)) {
        return shown(text) + " is not a method: expected a token in capitals such as POST";
    }
    if (text == "CONNECT" || text == "TRACE") {
        return shown(text) + " is never passed on: expected a method such as POST";
    }
    return std::nullopt;
}

std::optional<std::string> pattern_complaint(std::string_view text) {
    if (!text.empty() && request::valid_pattern(std::string(text))) {
        return std::nullopt;
    }
    return shown(text) + " is not a pattern: expected a regular expression (RE2) that the whole key matches";
}

/// Words, and the booleans that YAML makes of `on` and `off`.
Syntax<Mode> mode() {
    auto syntax = words<Mode>({{"enforce", Mode::enforce}, {"off", Mode::off}}, {"observe"});
    const auto read = [word = syntax.read](const Cursor& cursor, Mode& value) {
        if (const auto boolean = as_boolean(cursor.node)) {
            value = *boolean ? Mode::enforce : Mode::off;
        } else {
            word(cursor, value);
        }
    };
    const auto schema = [] { return or_substituted({{"enum", Json::array({"enforce", "off", true, false})}}); };
    return {syntax.type, schema, read, syntax.write, {}};
}

/// Fields that a forwarded key must not overwrite: framing, routing, and what Onceward itself adds.
constexpr std::array reserved_fields{std::string_view("connection"),
                                     std::string_view("content-length"),
                                     std::string_view("expect"),
                                     std::string_view("forwarded"),
                                     std::string_view("host"),
                                     std::string_view("idempotency-attempt"),
                                     std::string_view("keep-alive"),
                                     std::string_view("idempotency-fence"),
                                     std::string_view("idempotency-operation-id"),
                                     std::string_view("te"),
                                     std::string_view("proxy-connection"),
                                     std::string_view("trailer"),
                                     std::string_view("upgrade"),
                                     std::string_view("transfer-encoding"),
                                     std::string_view("via"),
                                     std::string_view("x-forwarded-for"),
                                     std::string_view("x-forwarded-proto"),
                                     std::string_view("x-forwarded-host"),
                                     std::string_view("traceparent"),
                                     std::string_view("x-request-id")};

void read_rename(const Cursor& cursor, std::string_view name, ForwardKey& value) {
    if (!base::is_token(name)) {
        cursor.error(shown(name) + " is not a header name: expected a token such as X-Request-Key");
    } else if (std::find(reserved_fields.begin(), reserved_fields.end(), base::to_lower(name)) != reserved_fields.end()) {
        cursor.error(shown(name) + " is a field of HTTP or of Onceward: expected another name");
    } else {
        value = {ForwardKey::Kind::rename, std::string(name)};
    }
}

void read_forward_key(const Cursor& cursor, ForwardKey& value) {
    constexpr std::string_view expected = "keep, strip or {rename: Header-Name}";
    constexpr std::string_view rename = "rename:";
    const auto text = as_text(cursor.node);
    if (text && *text == "keep") {
        value = {ForwardKey::Kind::keep, {}};
    } else if (text && *text == "strip") {
        value = {ForwardKey::Kind::strip, {}};
    } else if (text && text->compare(0, rename.size(), rename) == 0) {
        read_rename(cursor, base::trim(std::string_view(*text).substr(rename.size())), value);
    } else if (cursor.node.members.size() == 1 && cursor.node.members[0].key == "rename") {
        const auto member = cursor.member(cursor.node.members[0]);
        const auto name = as_text(member.node);
        if (name) {
            read_rename(member, *name, value);
        } else {
            member.mismatch("a header name");
        }
    } else {
        cursor.mismatch(expected);
    }
}

Syntax<ForwardKey> forward_key() {
    const auto schema = [] {
        const Json rename{{"type", "object"},
                          {"properties", {{"rename", {{"type", "string"}}}}},
                          {"required", {"rename"}},
                          {"additionalProperties", false}};
        const Json rename_text{{"type", "string"}, {"pattern", "^rename: *[!-~]+$"}};
        return Json{{"anyOf", Json::array({words_schema({"keep", "strip"}), rename_text, rename})}};
    };
    const auto write = [](const ForwardKey& value) {
        switch (value.kind) {
            case ForwardKey::Kind::keep:
                return Json("keep");
            case ForwardKey::Kind::strip:
                return Json("strip");
            case ForwardKey::Kind::rename:
                return Json{{"rename", value.name}};
        }
        return Json();
    };
    return {"keep, strip or {rename: Header-Name}", schema, read_forward_key, write, {}};
}

const Table<Key>& key_rule_keys() {
    static const Table<Key> table({
        key("from", &Key::from, key_sources(),
            "Alternatives, the first that is present wins; one may be a list, which is joined; or a preset: cloudevents, pubsub, "
            "sns, "
            "standard-webhooks, stripe, github, shopify, wechatpay, alipay."),
        key("required", &Key::required, boolean(), "Whether a request without a key is refused; else it passes unguarded."),
        key("pattern", &Key::pattern, nullable(text("regular expression", pattern_complaint)), "What the whole key must match."),
        later<Key>("issued", boolean(), false, "Whether only tokens that Onceward issued are keys."),
    });
    return table;
}

const Table<Fingerprint>& fingerprint_keys() {
    static const Table<Fingerprint> table({
        key("parts", &Fingerprint::parts, list_of(part(), Empty::allowed),
            "What must be the same for a request to be the same: method, path, query, body, header:Name."),
        key("json", &Fingerprint::json, words<JsonMode>({{"raw", JsonMode::raw}, {"canonical", JsonMode::canonical}}),
            "Whether JSON bodies are compared byte for byte or by value."),
        key("ignore", &Fingerprint::ignore, list_of(json_pointer(), Empty::allowed),
            "JSON pointers to what is left out of a canonical body."),
    });
    return table;
}

enum class Kind : std::uint8_t { request };

/// What both an entry of `routes` and `defaults` may have.
std::vector<Row<Route>> shared_rows() {
    return {
        key("methods", &Route::methods, list_of(text("method", method_complaint, "^[^a-z ]+$"), Empty::refused),
            "Methods that are guarded; others pass."),
        key("case_sensitive", &Route::case_sensitive, boolean(), "Whether paths that differ only in case are different."),
        later<Route>("kind", words<Kind>({{"request", Kind::request}}, {"message"}), Kind::request,
                     "request, or message for broker deliveries."),
        later<Route>("group", only_null(), {}, "Consumer group of a message route."),
        later<Route>("early_ack", only_null(), {}, "Status that answers a message at once."),
        key("mode", &Route::mode, mode(), "enforce guards; off lets everything pass."),
        key("key", &Route::key, section(key_rule_keys), "Where the key comes from."),
        key("scope", &Route::scope, source_list(), "Sources that belong to the key's identity: another scope is another record."),
        key("caller", &Route::caller, source_list(), "Sources that say who asks; another caller with the same key is refused."),
        key("fingerprint", &Route::fingerprint, section(fingerprint_keys), "What makes two requests the same."),
        key("lease", &Route::lease, duration(), "How long a claim lives without a heartbeat."),
        key("retention", &Route::retention, duration(),
            "How long a finished record can be replayed, and a failed one is remembered."),
        key("tombstone", &Route::tombstone, duration(Zero::allowed),
            "How long a key is remembered after that (409 RESULT_EXPIRED), without its result; then it is as a new one."),
        key("unknown_retention", &Route::unknown_retention, duration(),
            "How long a record of unknown outcome is kept; it is EXPIRED for tombstone after that."),
        key("wait", &Route::wait, duration(Zero::allowed), "How long a duplicate waits for the first request to end."),
        key("max_request_body", &Route::max_request_body, size(), "Largest request body; a larger one is refused with 413."),
        key("spool_threshold", &Route::spool_threshold, size(), "Larger request bodies wait in a temporary file, not in memory."),
        key("max_recorded_body", &Route::max_recorded_body, size(),
            "Largest response body that is recorded, of more than 1MiB in pieces; of a larger one only the head is, and "
            "duplicates get "
            "409 RESULT_TOO_LARGE."),
        key("record_body", &Route::record_body, boolean(),
            "Whether response bodies are recorded; else duplicates get 409 RESULT_TOO_LARGE, or the answer again where it was "
            "empty."),
        key("record_headers_except", &Route::record_headers_except, list_of(header_name(), Empty::allowed),
            "Response headers that are never recorded."),
        key("forward_key", &Route::forward_key, forward_key(), "What the service gets of the key's header."),
        key("outcomes", &Route::outcomes, outcomes(), "What an upstream's status says about the outcome."),
        key("on_unknown", &Route::on_unknown,
            words<OnUnknown>({{"hold", OnUnknown::hold}, {"reforward", OnUnknown::reforward}}, {"probe"}),
            "What a retry gets after an unknown outcome: 409 until the key is forgotten, or another execution."),
        later<Route>("probe", only_null(), {}, "Where the service is asked about an unknown outcome."),
        key("on_store_failure", &Route::on_store_failure,
            words<OnStoreFailure>({{"reject", OnStoreFailure::reject}, {"forward", OnStoreFailure::forward}}),
            "What happens without a store: 503, or the request goes up unguarded and its key reads as of unknown outcome later."),
        later<Route>("replay_auth", only_null(), {}, "Where the service checks the caller before a replay."),
        key("errors", &Route::errors, errors(), "How Onceward's own answers look."),
    };
}

}  // namespace

const Table<Route>& route_keys() {
    static const Table<Route> table([] {
        std::vector<Row<Route>> rows{
            key("name", &Route::name, text("text", name_complaint, "^[A-Za-z0-9._-]{1,64}$"),
                "Names the route in records, logs and metrics; derived from the path where it is not given; unique."),
            key_of<Route>("path", &Route::path, text("path pattern", path_complaint, "^/"),
                          "Which paths: exact, {name} for one segment, a final /** for any depth.", Need::required),
        };
        auto shared = shared_rows();
        rows.insert(rows.end(), std::make_move_iterator(shared.begin()), std::make_move_iterator(shared.end()));
        return rows;
    }());
    return table;
}

const Table<Route>& default_keys() {
    static const Table<Route> table(shared_rows());
    return table;
}

}  // namespace onceward::config
