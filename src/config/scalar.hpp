#pragma once

#include "config/yaml_document.hpp"

#include <optional>
#include <string>

/// @file
/// What a scalar is (YAML 1.2 core schema, and the booleans of YAML 1.1): a plain `30` is a number, a quoted one is text.

namespace onceward::config {

/// The text of a scalar that may stand where text is expected.
std::optional<std::string> as_text(const Node& node);
/// The digits of a scalar that may stand where a whole number is expected; a sign or a fraction is left in.
std::optional<std::string> as_number(const Node& node);
/// `true`, `false`, and the spellings `yes no on off`.
std::optional<bool> as_boolean(const Node& node);

/// What stands there, for messages: `null`, `a list`, `the number 30`, `"text"`.
std::string found(const Node& node);

}  // namespace onceward::config
