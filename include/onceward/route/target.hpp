#pragma once

#include "onceward/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// The one reading of a request's target that routes and fingerprints go by (spec section 2.1). Pure.

namespace onceward::route {

enum class PathCase : std::uint8_t { kept, folded };
/// `;params` of segments (RFC 3986 section 3.3).
enum class PathParameters : std::uint8_t { kept, dropped };

/// Appends the normal form of `path`: unreserved characters decoded, other escapes in upper case, what may not stand in a path
/// escaped, slash runs merged, dot segments removed (a segment is one whatever its `;params`), no slash at the end. Always begins
/// with a slash, but for `*`, which stays. Applied to its own result it changes nothing.
void append_normalised_path(std::string& out, std::string_view path, PathParameters parameters, PathCase path_case);

/// Folds the case of a normal path from `start` on; escapes stay in upper case.
void fold_path(std::string& path, std::size_t start = 0);

/// Normal form of path and query: `;params` kept, the query as it is; no `?` before an empty one.
std::string normalised_target(std::string_view path, std::string_view query, PathCase path_case);

/// True when `location` (a URI or relative reference, RFC 3986 section 5) names the request's own normalised target at its own
/// authority. Scheme and fragment do not count; a port counts but for the default ones.
bool names_target_of(const http::RequestHead& request, std::string_view location, PathCase path_case);

}  // namespace onceward::route
