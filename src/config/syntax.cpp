#include "config/syntax.hpp"

#include <algorithm>

namespace onceward::config {

Json schema_ref(std::string_view name) {
    return {{"$ref", "#/$defs/" + std::string(name)}};
}

Json or_substituted(Json schema) {
    return {{"anyOf", Json::array({std::move(schema), schema_ref("substituted")})}};
}

Syntax<std::string> text(std::string type, TextRule complaint, std::string_view pattern) {
    return text_syntax<std::string>(
        std::move(type),
        [complaint = std::move(complaint)](std::string_view value) -> Parsed<std::string> {
            if (auto message = complaint(value)) {
                return Complaint{std::move(*message)};
            }
            return std::string(value);
        },
        [](const std::string& value) { return Json(value); },
        [pattern] {
            Json out{{"type", "string"}};
            return pattern.empty() ? out : or_substituted({{"type", "string"}, {"pattern", pattern}});
        });
}

Syntax<bool> boolean() {
    const auto read = [](const Cursor& cursor, bool& value) {
        if (const auto parsed = as_boolean(cursor.node)) {
            value = *parsed;
        } else {
            cursor.mismatch("true or false");
        }
    };
    return {"true or false",
            [] {
                return or_substituted({{"type", "boolean"}});
            },
            read,
            [](const bool& value) { return Json(value); },
            {}};
}

namespace {

/// Durations and sizes: a plain `30` reaches the parser too, which knows best what it lacks.
template <typename T>
Syntax<T> quantity(std::string type, Zero zero, std::function<Parsed<T>(std::string_view)> parse,
                   std::function<Json(const T&)> write) {
    const auto schema = [type, zero] {
        // A zero needs no unit.
        return zero == Zero::allowed ? Json{{"anyOf", Json::array({schema_ref(type), Json{{"const", 0}}})}} : schema_ref(type);
    };
    auto syntax = text_syntax<T>(type, parse, std::move(write), schema);
    syntax.read = [read = std::move(syntax.read), type](const Cursor& cursor, T& value) {
        if (cursor.node.kind != Node::Kind::scalar) {
            cursor.mismatch("a " + type);
            return;
        }
        Node text = cursor.node;
        text.style = Node::Style::quoted;
        read({text, cursor.path, cursor.report}, value);
    };
    return syntax;
}

}  // namespace

Syntax<std::chrono::milliseconds> duration(Zero zero) {
    return quantity<std::chrono::milliseconds>(
        "duration", zero, [zero](std::string_view text) { return parse_duration(text, zero); },
        [](const std::chrono::milliseconds& value) { return Json(to_text(value)); });
}

Syntax<std::uint64_t> size(Zero zero) {
    return quantity<std::uint64_t>(
        "size", zero, [zero](std::string_view text) { return parse_size(text, zero); },
        [](const std::uint64_t& value) { return value == 0 ? Json(0) : Json(size_text(value)); });
}

Syntax<std::uint32_t> count(std::uint32_t min, std::uint32_t max) {
    const auto type = "number from " + std::to_string(min) + " to " + std::to_string(max);
    const auto read = [min, max, type](const Cursor& cursor, std::uint32_t& value) {
        const auto digits = as_number(cursor.node);
        if (!digits) {
            cursor.mismatch("a " + type);
            return;
        }
        const auto parsed = parse_count(*digits, min, max);
        if (const auto* complaint = std::get_if<Complaint>(&parsed)) {
            cursor.error(complaint->message);
        } else {
            value = std::get<std::uint32_t>(parsed);
        }
    };
    const auto schema = [min, max] { return or_substituted({{"type", "integer"}, {"minimum", min}, {"maximum", max}}); };
    return {type, schema, read, [](const std::uint32_t& value) { return Json(value); }, {}};
}

Syntax<std::optional<std::uint32_t>> automatic_or_count(std::uint32_t min, std::uint32_t max) {
    const auto number = count(min, max);
    const auto read = [number](const Cursor& cursor, std::optional<std::uint32_t>& value) {
        if (cursor.node.kind == Node::Kind::scalar && cursor.node.text == "auto") {
            value.reset();
            return;
        }
        if (!as_number(cursor.node)) {
            cursor.mismatch("auto or a " + number.type);
            return;
        }
        std::uint32_t given = 0;
        number.read(cursor, given);
        value = given;
    };
    const auto schema = [number] { return Json{{"anyOf", Json::array({Json{{"const", "auto"}}, number.schema()})}}; };
    const auto write = [](const std::optional<std::uint32_t>& value) { return value ? Json(*value) : Json("auto"); };
    return {"auto or a " + number.type, schema, read, write, {}};
}

Parsed<std::size_t> parse_word(std::string_view text, const std::vector<std::string_view>& words,
                               const std::vector<std::string_view>& later) {
    const auto known = std::find(words.begin(), words.end(), text);
    if (known != words.end()) {
        return static_cast<std::size_t>(known - words.begin());
    }
    if (std::find(later.begin(), later.end(), text) != later.end()) {
        return Complaint{shown(text) + " is not available in this version: expected " + listed(words)};
    }
    return Complaint{shown(text) + " is not one of the words here: expected " + listed(words)};
}

Json words_schema(const std::vector<std::string_view>& words) {
    return or_substituted({{"enum", words}});
}

}  // namespace onceward::config
