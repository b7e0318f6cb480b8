#pragma once

#include "config/syntax.hpp"

#include <string>

namespace onceward::config {

/// YAML that loads back to `value`: mappings as blocks, lists of scalars on one line, text quoted where it could be read as
/// something else, a `$` that would name an environment variable written so that it stays one.
std::string yaml_text(const Json& value);

/// A scalar, or a list or mapping in flow style.
std::string yaml_inline(const Json& value);

}  // namespace onceward::config
