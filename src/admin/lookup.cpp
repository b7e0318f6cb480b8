#include "admin/lookup.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/request/identify.hpp"

#include <algorithm>
#include <optional>

namespace onceward::admin {

namespace {

constexpr std::size_t key_bytes_max = 255;

std::string sources_text(const config::SourceList& sources) {
    std::string text;
    for (const auto& source : sources) {
        text += (text.empty() ? "" : ", ") + config::to_text(source);
    }
    return text;
}

/// The source that `value` names in front of a `=`.
std::optional<std::size_t> named_source(const config::SourceList& scope, std::string_view value) {
    for (std::size_t i = 0; i < scope.size(); ++i) {
        const auto name = config::to_text(scope[i]) + "=";
        const auto front = value.substr(0, name.size());
        if (front == name || (scope[i].kind == config::SourceKind::header && base::iequals(front, name))) {
            return i;
        }
    }
    return std::nullopt;
}

bool is_from_the_header(const config::Route& route) {
    const auto is_header = [](const config::SourceList& list) {
        return list.size() == 1 && list[0].kind == config::SourceKind::header && base::iequals(list[0].name, "Idempotency-Key");
    };
    return std::any_of(route.key.from.begin(), route.key.from.end(), is_header);
}

bool takes_parts(const config::Route& route, std::size_t count) {
    return std::any_of(route.key.from.begin(), route.key.from.end(),
                       [count](const config::SourceList& list) { return list.size() == count; });
}

using ScopeValues = std::vector<std::optional<std::string>>;

std::variant<ScopeValues, std::string> scope_values(const config::Route& route, const std::vector<std::string>& given) {
    ScopeValues values(route.scope.size());
    std::size_t next = 0;
    for (const auto& text : given) {
        const auto named = named_source(route.scope, text);
        const auto at = named.value_or(next);
        if (at >= values.size()) {
            return "more values of a scope than the route " + route.name + " has: expected " +
                   (route.scope.empty() ? "none" : "those of " + sources_text(route.scope));
        }
        if (values[at]) {
            return "two values of " + config::to_text(route.scope[at]) + ": expected one";
        }
        values[at] = named ? text.substr(config::to_text(route.scope[at]).size() + 1) : text;
        next = at + 1;
    }
    return values;
}

}  // namespace

std::variant<RecordId, std::string> find_id(const config::Route& route, const KeySeen& seen) {
    if (!takes_parts(route, seen.key.size())) {
        return "the route " + route.name + " has no key of " + std::to_string(seen.key.size()) + " parts";
    }
    auto key = seen.key;
    for (const auto& part : key) {
        if (part.empty() || part.size() > key_bytes_max) {
            return std::string("not a key: expected 1 to 255 bytes");
        }
    }
    if (key.size() == 1 && key[0].front() == '"' && is_from_the_header(route)) {
        const auto unquoted = request::parse_key(key[0]);
        if (!unquoted) {
            return std::string("not a key: the quotes do not hold one");
        }
        key[0] = *unquoted;
    }
    const auto scope = scope_values(route, seen.scope);
    if (const auto* complaint = std::get_if<std::string>(&scope)) {
        return *complaint;
    }
    return request::record_id(route.name, std::get<ScopeValues>(scope), key);
}

}  // namespace onceward::admin
