#include "config/scalar.hpp"

#include "config/text.hpp"
#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace onceward::config {

namespace {

/// `true`, `True` or `TRUE`; `word` is in lower case.
bool spells(std::string_view text, std::string_view word) {
    const bool all_upper = std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    return base::iequals(text, word) && (all_upper || text.substr(1) == word.substr(1));
}

bool is_core_boolean(std::string_view text) {
    return spells(text, "true") || spells(text, "false");
}

bool is_core_number(std::string_view text) {
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
        text.remove_prefix(1);
    }
    if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0o") {
        return text.size() > 2;
    }
    if (text.empty() || (!base::is_digit(text.front()) && text.front() != '.')) {
        return false;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return end == text.data() + text.size() && error != std::errc::invalid_argument;
}

}  // namespace

std::optional<std::string> as_text(const Node& node) {
    if (node.kind != Node::Kind::scalar) {
        return std::nullopt;
    }
    if (node.style == Node::Style::plain && (is_core_boolean(node.text) || is_core_number(node.text))) {
        return std::nullopt;
    }
    return node.text;
}

std::optional<std::string> as_number(const Node& node) {
    const bool may = node.kind == Node::Kind::scalar &&
                     (node.style == Node::Style::substituted || (node.style == Node::Style::plain && is_core_number(node.text)));
    return may ? std::optional(node.text) : std::nullopt;
}

std::optional<bool> as_boolean(const Node& node) {
    if (node.kind != Node::Kind::scalar || node.style == Node::Style::quoted) {
        return std::nullopt;
    }
    const auto is_one_of = [&](const std::array<std::string_view, 3>& words) {
        return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return spells(node.text, word); });
    };
    if (is_one_of({"true", "yes", "on"})) {
        return true;
    }
    if (is_one_of({"false", "no", "off"})) {
        return false;
    }
    return std::nullopt;
}

std::string found(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null:
            return "null";
        case Node::Kind::sequence:
            return "a list";
        case Node::Kind::mapping:
            return "a mapping";
        case Node::Kind::scalar:
            break;
    }
    if (node.style == Node::Style::plain && is_core_boolean(node.text)) {
        return "the boolean " + node.text;
    }
    if (node.style == Node::Style::plain && is_core_number(node.text)) {
        return "the number " + node.text.substr(0, 40);
    }
    return shown(node.text);
}

}  // namespace onceward::config
