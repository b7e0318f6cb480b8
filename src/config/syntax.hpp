#pragma once

#include "config/parsed.hpp"
#include "config/report.hpp"
#include "config/scalar.hpp"
#include "config/text.hpp"
#include "config/units.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// How a value of one type is written in YAML: read from a node, written back, described to people and to machines.
/// Each kind of value has one factory here or beside its parser; the tables of keys combine them.

namespace onceward::config {

/// Keeps the order of members: the schema and the effective configuration are read by people.
using Json = nlohmann::ordered_json;

struct KeyInfo;

template <typename T>
struct Syntax {
    std::string type;  ///< for the documentation: `duration`, `list of text`
    std::function<Json()> schema;
    std::function<void(const Cursor&, T&)> read;  ///< reports what it does not understand and leaves the value alone
    std::function<Json(const T&)> write;
    std::function<const std::vector<KeyInfo>&()> keys;  ///< only of a section
    std::function<void(const T&, T&)> keep = {};        ///< likewise: what `Row::keep` does, for its keys
};

/// `{"$ref": "#/$defs/<name>"}`.
Json schema_ref(std::string_view name);
/// `schema`, or text with an environment variable in it.
Json or_substituted(Json schema);

/// A scalar of text that `parse` understands.
template <typename T>
Syntax<T> text_syntax(std::string type, std::function<Parsed<T>(std::string_view)> parse, std::function<Json(const T&)> write,
                      std::function<Json()> schema) {
    const auto read = [type, parse = std::move(parse)](const Cursor& cursor, T& value) {
        const auto text = as_text(cursor.node);
        if (!text) {
            cursor.mismatch(type);
            return;
        }
        auto parsed = parse(*text);
        if (auto* complaint = std::get_if<Complaint>(&parsed)) {
            cursor.error(std::move(complaint->message));
        } else {
            value = std::move(std::get<T>(parsed));
        }
    };
    return {std::move(type), std::move(schema), read, std::move(write), {}};
}

/// Text with a rule: `complaint` says what is wrong with it, or nothing.
using TextRule = std::function<std::optional<std::string>(std::string_view)>;
Syntax<std::string> text(std::string type, TextRule complaint, std::string_view pattern = {});

Syntax<bool> boolean();
Syntax<std::chrono::milliseconds> duration(Zero zero = Zero::refused);
Syntax<std::uint64_t> size(Zero zero = Zero::refused);
Syntax<std::uint32_t> count(std::uint32_t min, std::uint32_t max);
/// `auto`, or a number.
Syntax<std::optional<std::uint32_t>> automatic_or_count(std::uint32_t min, std::uint32_t max);

/// A word of an enum, as it is written.
template <typename Enum>
struct Word {
    std::string_view text;
    Enum value;
};

/// The words of `words`, and those of the specification that this version does not have.
Parsed<std::size_t> parse_word(std::string_view text, const std::vector<std::string_view>& words,
                               const std::vector<std::string_view>& later);
Json words_schema(const std::vector<std::string_view>& words);

template <typename Enum>
Syntax<Enum> words(std::vector<Word<Enum>> known, const std::vector<std::string_view>& later = {}) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const auto& word : known) {
        names.push_back(word.text);
    }
    return text_syntax<Enum>(
        listed(names),
        [known, names, later](std::string_view text) -> Parsed<Enum> {
            const auto parsed = parse_word(text, names, later);
            if (const auto* complaint = std::get_if<Complaint>(&parsed)) {
                return *complaint;
            }
            return known[std::get<std::size_t>(parsed)].value;
        },
        [known](const Enum& value) {
            for (const auto& word : known) {
                if (word.value == value) {
                    return Json(word.text);
                }
            }
            return Json();
        },
        [names] { return words_schema(names); });
}

enum class Empty { refused, allowed };

template <typename T>
Syntax<std::vector<T>> list_of(Syntax<T> item, Empty empty) {
    const auto schema = [item, empty] {
        Json out{{"type", "array"}, {"items", item.schema()}};
        if (empty == Empty::refused) {
            out["minItems"] = 1;
        }
        return out;
    };
    const auto read = [item, empty](const Cursor& cursor, std::vector<T>& values) {
        if (cursor.node.kind != Node::Kind::sequence) {
            cursor.mismatch("a list, such as [a, b]");
            return;
        }
        if (cursor.node.items.empty() && empty == Empty::refused) {
            cursor.error("an empty list: expected at least one entry");
            return;
        }
        values.clear();
        for (std::size_t i = 0; i < cursor.node.items.size(); ++i) {
            T value{};
            item.read(cursor.item(i), value);
            values.push_back(std::move(value));
        }
    };
    const auto write = [item](const std::vector<T>& values) {
        Json out = Json::array();
        for (const auto& value : values) {
            out.push_back(item.write(value));
        }
        return out;
    };
    return {"list of " + item.type + "s", schema, read, write, {}};
}

template <typename T>
Syntax<std::optional<T>> nullable(Syntax<T> inner) {
    const auto schema = [inner] { return Json{{"anyOf", Json::array({inner.schema(), Json{{"type", "null"}}})}}; };
    const auto read = [inner](const Cursor& cursor, std::optional<T>& value) {
        if (cursor.node.kind == Node::Kind::null) {
            value.reset();
            return;
        }
        T present{};
        inner.read(cursor, present);
        value = std::move(present);
    };
    const auto write = [inner](const std::optional<T>& value) { return value ? inner.write(*value) : Json(); };
    return {inner.type + " or null", schema, read, write, {}};
}

}  // namespace onceward::config
