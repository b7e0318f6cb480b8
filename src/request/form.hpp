#pragma once

#include "request/presence.hpp"

#include <string>
#include <string_view>

namespace onceward::request {

/// Text of `application/x-www-form-urlencoded` (`+` is a blank, what is no escape stays), in place of what `out` held.
void decode_form_text(std::string_view encoded, std::string& out);

/// The field `name` of `application/x-www-form-urlencoded` text, decoded (`+` is a blank, what is no escape stays). Invalid when
/// it is there more than once.
Presence read_form_field(std::string_view encoded, std::string_view name, std::string& value);

/// The part `name` of `multipart/form-data` (RFC 7578), its content as it is. Invalid when it is there more than once, or when
/// the body does not end with its closing delimiter.
Presence read_multipart_field(std::string_view content_type, std::string_view body, std::string_view name, std::string& value);

}  // namespace onceward::request
