#pragma once

#include "onceward/http/message.hpp"

#include <functional>
#include <string_view>

namespace onceward::route {

/// Calls `meets` with normalised readings of `path` that a less careful server may have: escapes decoded once, twice or until
/// none is left, `\` read as a slash, control characters skipped, the path cut at a decoded NUL, `?` or `#`, `..;x` read as a
/// name. True as soon as one call says so.
bool any_loose_path(std::string_view path, const std::function<bool(std::string_view)>& meets);

/// Calls `meets` with the request's method and with each that a method-override header names. True as soon as one call says so.
bool any_loose_method(const http::RequestHead& head, const std::function<bool(std::string_view)>& meets);

}  // namespace onceward::route
