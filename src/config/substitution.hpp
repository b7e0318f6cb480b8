#pragma once

#include "config/parsed.hpp"
#include "config/report.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace onceward::config {

/// `text` with `${NAME}` and `${NAME:-default}` replaced by environment variables; the default also stands for an empty one, as
/// in a shell. A name that is not set and has no default is a complaint. Any other `$` is data.
Parsed<std::string> substituted(std::string_view text);

/// Written so that `substituted` gives `text` back.
std::string escaped_for_substitution(std::string_view text);

/// Replaces in every scalar below `node`; keys stay as they are.
void substitute(Node& node, const std::string& path, Report& report);

/// What a secret's text stands for: with `file:/path` the content of that file without its final line end, else the text itself.
/// The report remembers the file.
Parsed<std::string> read_secret(const std::string& text, Report& report);

}  // namespace onceward::config
