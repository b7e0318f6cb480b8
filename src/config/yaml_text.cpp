#include "config/yaml_text.hpp"

#include "config/substitution.hpp"
#include "onceward/base/ascii.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

bool is_letter(char c) {
    return base::to_lower(c) >= 'a' && base::to_lower(c) <= 'z';
}

/// Text that no reader of YAML takes for a number, a date, a boolean or null, and that holds no indicator.
bool may_be_plain(const std::string& text) {
    const Node plain{Node::Kind::scalar, Node::Style::plain, {}, text, {}, {}};
    const auto allowed = [](char c) {
        return is_letter(c) || base::is_digit(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == ':';
    };
    if (text.empty() || !std::all_of(text.begin(), text.end(), allowed) || text.back() == ':') {
        return false;
    }
    const bool word = is_letter(text.front()) || text.front() == '/';
    const bool quantity = base::is_digit(text.front()) && is_letter(text.back());
    return (word || quantity) && as_text(plain) && !as_boolean(plain) && !base::iequals(text, "null");
}

std::string text_scalar(const std::string& text) {
    const auto escaped = escaped_for_substitution(text);
    return may_be_plain(escaped) ? escaped : Json(escaped).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_block(const Json& value) {
    const auto nested = [](const Json& item) { return item.is_object(); };
    return !value.empty() && (value.is_object() || (value.is_array() && std::any_of(value.begin(), value.end(), nested)));
}

void append_block(std::string& out, const Json& value, const std::string& indent);

void append_member(std::string& out, const Json& value, const std::string& indent) {
    if (is_block(value)) {
        out += "\n";
        append_block(out, value, indent + "  ");
    } else {
        out += " " + yaml_inline(value) + "\n";
    }
}

void append_block(std::string& out, const Json& value, const std::string& indent) {
    if (value.is_object()) {
        for (const auto& entry : value.items()) {
            out += indent + text_scalar(entry.key()) + ":";
            append_member(out, entry.value(), indent);
        }
        return;
    }
    for (const auto& item : value) {
        if (!is_block(item)) {
            out += indent + "- " + yaml_inline(item) + "\n";  // beside one that is a mapping
            continue;
        }
        std::string block;
        append_block(block, item, indent + "  ");
        out += indent + "- " + block.substr(indent.size() + 2);
    }
}

}  // namespace

std::string yaml_inline(const Json& value) {
    if (value.is_string()) {
        return text_scalar(value.get<std::string>());
    }
    if (!value.is_structured()) {
        return value.dump();
    }
    std::string out = value.is_object() ? "{" : "[";
    bool first = true;
    for (const auto& entry : value.items()) {
        out += first ? "" : ", ";
        first = false;
        out += value.is_object() ? text_scalar(entry.key()) + ": " : "";
        out += yaml_inline(entry.value());
    }
    return out + (value.is_object() ? "}" : "]");
}

std::string yaml_text(const Json& value) {
    std::string out;
    append_block(out, value, "");
    return out;
}

}  // namespace onceward::config
