#pragma once

#include "onceward/http/message.hpp"
#include "onceward/http/message_parser.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// @file
/// Where a message ends, and whether its connection goes on: decided once, from the fields of a head. What RFC 9112 lets a
/// recipient repair is refused in requests, since something behind the proxy may repair it differently.

namespace onceward::http {

/// `1*DIGIT` up to 2^63 - 1.
std::optional<std::uint64_t> parse_length(std::string_view digits);

/// Fills framing, keep_alive, expects_continue and upgrade_websocket from method, version and fields.
HeadError frame_request(RequestHead& head);

enum class Framed : std::uint8_t { ok, refused };
enum class ToHead : std::uint8_t { no, yes };

/// Fills framing and keep_alive. `ToHead::yes` for the response to a HEAD request.
Framed frame_response(ResponseHead& head, ToHead to_head);

}  // namespace onceward::http
