#pragma once

#include "request/presence.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::request {

/// Text of `application/x-www-form-urlencoded` (`+` is a blank, what is no escape stays), in place of what `out` held.
void decode_form_text(std::string_view encoded, std::string& out);

/// The field `name` of `application/x-www-form-urlencoded` text, decoded (`+` is a blank, what is no escape stays). Invalid when
/// it is there more than once.
Presence read_form_field(std::string_view encoded, std::string_view name, std::string& value);

struct MultipartPart {
    std::string_view head;  ///< its lines, without the empty one
    std::string_view content;
};
/// The parts of a multipart body (RFC 2046 section 5.1), as they are; what stands before and behind them is left out. Nothing
/// when the type names no boundary, or the body does not keep to it up to its closing delimiter.
std::optional<std::vector<MultipartPart>> parse_multipart(std::string_view content_type, std::string_view body);

/// The part `name` of `multipart/form-data` (RFC 7578), its content as it is. Invalid when it is there more than once, or when
/// the body is no multipart.
Presence read_multipart_field(std::string_view content_type, std::string_view body, std::string_view name, std::string& value);

}  // namespace onceward::request
