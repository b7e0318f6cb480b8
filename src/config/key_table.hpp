#pragma once

#include "config/syntax.hpp"

#include <concepts>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// The tables of keys: one row says everything about a key, and the loader, the effective configuration, the JSON Schema and the
/// documentation all follow it.

namespace onceward::config {

enum class Availability { now, later };
enum class Need { optional, required };
/// When a changed value holds for a process that runs.
enum class Effect { live, at_start };

/// What a row says to people and to the schema, whatever it is a key of.
struct KeyInfo {
    std::string_view name;
    std::string_view meaning;  ///< one sentence
    std::string type;
    Availability availability = Availability::now;
    Need need = Need::optional;
    std::function<Json()> schema;
    std::function<const std::vector<KeyInfo>&()> keys;  ///< only of a section
    Effect effect = Effect::live;                       ///< of a section: of all its keys
};

template <typename Object>
struct Row : KeyInfo {
    std::function<void(const Cursor&, Object&)> read;
    std::function<Json(const Object&)> write;  ///< empty for a key that is not available
    /// Gives the second the value that the first has, of what only a start reads; empty where there is nothing of it.
    std::function<void(const Object&, Object&)> keep = {};
};

/// The keys of one mapping.
template <typename Object>
struct Table {
    explicit Table(std::vector<Row<Object>> rows) : keys(std::move(rows)), infos(keys.begin(), keys.end()) {}

    std::vector<Row<Object>> keys;
    std::vector<KeyInfo> infos;
};

/// A key whose value is the part of `Object` that `part` (a member, or a function) selects.
template <typename Object, typename T, typename Selector>
Row<Object> key_of(std::string_view name, Selector part, Syntax<T> syntax, std::string_view meaning, Need need = Need::optional) {
    KeyInfo info{name, meaning, syntax.type, Availability::now, need, syntax.schema, syntax.keys};
    return {std::move(info),
            [part, read = syntax.read](const Cursor& cursor, Object& object) { read(cursor, std::invoke(part, object)); },
            [part, write = syntax.write](const Object& object) { return write(std::invoke(part, object)); },
            syntax.keep ? std::function<void(const Object&, Object&)>([part, keep = syntax.keep](const Object& from, Object& to) {
                keep(std::invoke(part, from), std::invoke(part, to));
            })
                        : nullptr};
}

template <typename Object, typename T>
Row<Object> key(std::string_view name, T Object::*member, Syntax<std::type_identity_t<T>> syntax, std::string_view meaning) {
    return key_of<Object>(name, member, std::move(syntax), meaning);
}

/// A key that is read as the process starts, and never again.
template <typename Object, typename T>
Row<Object> at_start(std::string_view name, T Object::*member, Syntax<std::type_identity_t<T>> syntax, std::string_view meaning) {
    auto row = key(name, member, std::move(syntax), meaning);
    row.effect = Effect::at_start;
    row.keep = [member](const Object& from, Object& to) { to.*member = from.*member; };
    return row;
}

/// A key whose syntax describes the whole object: it sets several members.
template <typename Object>
Row<Object> whole(std::string_view name, Syntax<Object> syntax, std::string_view meaning, Need need) {
    return key_of<Object>(
        name, [](auto& object) -> auto& { return object; }, std::move(syntax), meaning, need);
}

/// A key of the specification that this version does not have: it may be given with its default, which does nothing.
template <typename Object, typename T>
Row<Object> later(std::string_view name, Syntax<T> syntax, std::type_identity_t<T> only, std::string_view meaning) {
    KeyInfo info{name,           meaning,
                 syntax.type,    Availability::later,
                 Need::optional, [syntax, only] { return Json{{"const", syntax.write(only)}}; },
                 syntax.keys};
    const auto read = [syntax, only](const Cursor& cursor, Object&) {
        const auto errors = cursor.report.error_count();
        T value = only;
        syntax.read(cursor, value);
        if (cursor.report.error_count() == errors && value != only) {
            cursor.error("not available in this version: expected nothing but the default, " + syntax.write(only).dump());
        }
    };
    return {std::move(info), read, {}};
}

/// Such a key whose default is `null`.
struct OnlyNull {
    bool operator==(const OnlyNull&) const = default;
};
Syntax<OnlyNull> only_null();

/// Reports that the node is no mapping, keys that are not in `keys` and required ones that are missing. False when there is
/// nothing to read.
bool check_keys(const Cursor& cursor, const std::vector<KeyInfo>& keys);

template <typename Object>
void read_keys(const Cursor& cursor, const Table<Object>& table, Object& object) {
    if (!check_keys(cursor, table.infos)) {
        return;
    }
    for (const auto& key : table.keys) {
        if (const auto* member = cursor.node.find(key.name); member != nullptr && key.read) {
            key.read(cursor.member(*member), object);
        }
    }
}

template <typename Object>
Json write_keys(const Table<Object>& table, const Object& object) {
    Json out = Json::object();
    for (const auto& key : table.keys) {
        if (key.write) {
            out[std::string(key.name)] = key.write(object);
        }
    }
    return out;
}

/// Gives `next` the values that `running` has, of the keys that only a start reads.
template <typename Object>
void keep_started(const Table<Object>& table, const Object& running, Object& next) {
    for (const auto& key : table.keys) {
        if (key.keep) {
            key.keep(running, next);
        }
    }
}

/// `defaults` are the values of the keys that are left out.
Json section_schema(const std::vector<KeyInfo>& keys, const Json& defaults);

/// A mapping with known keys.
template <typename Object>
Syntax<Object> section(const Table<Object>& (*table)()) {
    const auto keys = [table]() -> const std::vector<KeyInfo>& { return table().infos; };
    const auto read = [table](const Cursor& cursor, Object& object) { read_keys(cursor, table(), object); };
    const auto write = [table](const Object& object) { return write_keys(table(), object); };
    const auto keep = [table](const Object& from, Object& to) { keep_started(table(), from, to); };
    return {"mapping", [table] { return section_schema(table().infos, write_keys(table(), Object{})); }, read, write, keys, keep};
}

}  // namespace onceward::config
