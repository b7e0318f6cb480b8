#include "admin/query.hpp"

#include "request/form.hpp"

#include <algorithm>

namespace onceward::admin {

namespace {

std::string listed(const std::vector<std::string_view>& names) {
    std::string text;
    for (const auto name : names) {
        text.append(text.empty() ? "" : ", ").append(name);
    }
    return text.empty() ? "none" : text;
}

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::variant<Query, std::string> Query::parse(std::string_view query, const std::vector<std::string_view>& known,
                                              const std::vector<std::string_view>& repeatable) {
    Query out;
    while (!query.empty()) {
        const auto field = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), field.size() + 1));
        if (field.empty()) {
            continue;
        }
        const auto equals = std::min(field.find('='), field.size());
        std::string name;
        std::string value;
        request::decode_form_text(field.substr(0, equals), name);
        request::decode_form_text(field.substr(std::min(equals + 1, field.size())), value);
        if (!holds(known, name)) {
            return "there is a parameter that is not known here: expected " + listed(known);
        }
        if (!holds(repeatable, name) && out.value(name)) {
            return "the parameter " + name + " stands there twice: expected it once";
        }
        out.parameters_.emplace_back(std::move(name), std::move(value));
    }
    return out;
}

std::optional<std::string> Query::value(std::string_view name) const {
    for (const auto& [known, value] : parameters_) {
        if (known == name) {
            return value;
        }
    }
    return std::nullopt;
}

std::vector<std::string> Query::values(std::string_view name) const {
    std::vector<std::string> out;
    for (const auto& [known, value] : parameters_) {
        if (known == name) {
            out.push_back(value);
        }
    }
    return out;
}

}  // namespace onceward::admin
