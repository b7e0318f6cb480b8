#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace onceward::request {

/// `type/subtype` of a Content-Type value, or the disposition of a Content-Disposition, without parameters.
std::string_view media_type(std::string_view field_value);

/// Value of a parameter, unquoted (RFC 9110 section 5.6.6). Nothing when it is not there.
std::optional<std::string> media_parameter(std::string_view field_value, std::string_view name);

/// `multipart/form-data` (RFC 7578).
bool is_multipart_form(std::string_view field_value);

/// `application/json` or a type that ends with `+json` (RFC 6839).
bool is_json_type(std::string_view field_value);

}  // namespace onceward::request
