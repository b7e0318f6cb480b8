#include "config/key_table.hpp"

#include <algorithm>

namespace onceward::config {

Syntax<OnlyNull> only_null() {
    const auto read = [](const Cursor& cursor, OnlyNull&) {
        if (cursor.node.kind != Node::Kind::null) {
            cursor.error("not available in this version: expected nothing but the default, null");
        }
    };
    return {"null", [] { return Json{{"type", "null"}}; }, read, [](const OnlyNull&) { return Json(); }, {}};
}

bool check_keys(const Cursor& cursor, const std::vector<KeyInfo>& keys) {
    if (cursor.node.kind != Node::Kind::mapping) {
        cursor.mismatch("a mapping of keys to values");
        return false;
    }
    std::vector<std::string_view> names;
    for (const auto& key : keys) {
        names.push_back(key.name);
        if (key.need == Need::required && cursor.node.find(key.name) == nullptr) {
            cursor.report.error(cursor.node.place, member_path(cursor.path, key.name), "missing: expected " + key.type);
        }
    }
    for (const auto& member : cursor.node.members) {
        if (std::find(names.begin(), names.end(), member.key) == names.end()) {
            cursor.report.error(member.place, member_path(cursor.path, member.key),
                                "unknown key " + shown(member.key) + ": " + suggestion(member.key, names));
        }
    }
    return true;
}

Json section_schema(const std::vector<KeyInfo>& keys, const Json& defaults) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const auto& key : keys) {
        Json property = key.schema();
        property["description"] = std::string(key.meaning) +
                                  (key.availability == Availability::later ? " Not available in this version." : "") +
                                  (key.effect == Effect::at_start ? " Read at the start alone." : "");
        const auto known = defaults.find(std::string(key.name));
        if (key.need == Need::required) {
            required.push_back(key.name);
        } else if (known != defaults.end() && !key.keys) {
            property["default"] = *known;
        }
        properties[std::string(key.name)] = std::move(property);
    }
    Json out{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty()) {
        out["required"] = std::move(required);
    }
    return out;
}

}  // namespace onceward::config
