#pragma once

#include "request/json_document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace onceward::request {

/// Appends the form that all JSON texts of one value share (spec section 2.4): no white space, members in byte order of their
/// names, strings with the fewest escapes, numbers as written; the members and elements that `ignored` point to are left out.
/// False, and nothing is appended, when `text` is no JSON, is deeper than `json_depth_max` or names a member twice: raw bytes
/// count then.
bool append_canonical_json(std::string& out, std::string_view text, const std::vector<JsonPointer>& ignored);

}  // namespace onceward::request
