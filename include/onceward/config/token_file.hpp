#pragma once

#include <string>
#include <variant>
#include <vector>

namespace onceward::config {

/// Bearer tokens of a file, one a line: a new one can be accepted beside the old one while clients change over. Blanks at the
/// ends of a line, empty lines and lines that begin with `#` are left out.
/// Otherwise what is wrong, for people: the file can't be read, is larger than 64 KiB, holds no token, or one that no header
/// can carry.
std::variant<std::vector<std::string>, std::string> read_tokens(const std::string& path);

}  // namespace onceward::config
