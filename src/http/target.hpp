#pragma once

#include "onceward/http/message.hpp"
#include "onceward/http/message_parser.hpp"

#include <string_view>

namespace onceward::http {

/// `uri-host [ ":" port ]` (RFC 9110 section 7.2), without the comma that RFC 3986 would let a name have: it would be a list to
/// others.
bool is_authority(std::string_view text);

/// Fills path, query and host from method, target, version and fields; refuses every form of target that is not origin-form,
/// absolute-form (http, https) or `*` on OPTIONS (RFC 9112 section 3.2). Nothing is decoded or normalised.
HeadError read_target(RequestHead& head);

}  // namespace onceward::http
