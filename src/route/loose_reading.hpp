#pragma once

#include "onceward/http/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::route {

/// Normalised readings of `path` that a less careful server may have: escapes decoded once, twice or until none is left, `\` read
/// as a slash, control characters skipped, the path cut at a decoded NUL, `?` or `#`, what follows `//` read as an authority,
/// `..;x` read as a name, dot segments removed before runs of slashes are merged or ;params dropped. Empty for a path that all
/// servers read alike. Nothing where there are more than 64: nobody can say what such a path means.
std::optional<std::vector<std::string>> loose_paths(std::string_view path);

/// The request's method is `method` but for its case, or a method-override header names it.
bool may_mean_method(const http::RequestHead& head, std::string_view method);

}  // namespace onceward::route
