#pragma once

#include "strict_http.hpp"

/// @file
/// The parts of `StrictReader` that are functions of a head's text.

namespace onceward::test {

bool is_token(std::string_view text);
/// Text of a field value: no controls but tabs.
bool is_field_text(std::string_view text);
/// Host, or the authority of a target: `uri-host [":" port]` (RFC 3986 section 3.2.2); empty is one.
bool is_authority(std::string_view text);
/// `1*DIGIT` below 2^63.
std::optional<std::uint64_t> decimal(std::string_view digits);

/// From the request line and the fields: everything but the content. False: not a request that a gateway may act on.
bool read_request_line(std::string_view line, StrictRequest& request);
bool read_status_line(std::string_view line, StrictResponse& response);
/// How the content's end is found (RFC 9112 section 6.3), and whether the connection lives on. False: it can't be said.
bool frame(StrictRequest& request, std::uint64_t& length);
bool frame(StrictResponse& response, std::string_view request_method, std::uint64_t& length);

}  // namespace onceward::test
