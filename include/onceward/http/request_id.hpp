#pragma once

#include "onceward/http/headers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// @file
/// `X-Request-Id`, by which one request is found again in the logs of all that it passed: the client's where it is one, else made
/// here, as Envoy does. It is no part of what a request is: neither a key nor a fingerprint, and no answer carries it.

namespace onceward::http {

inline constexpr std::string_view request_id_field = "X-Request-Id";
/// A longer one is not believed.
inline constexpr std::size_t request_id_max = 128;

/// The client's, as a view into `headers`: the value of the only such field, printable ASCII without blanks. Empty: there is
/// none, several, or something else.
std::string_view request_id(const HeaderList& headers);

/// A new one, 32 hexadecimal digits, written over `out`.
void make_request_id(std::string& out, std::span<const std::uint8_t, 16> random);

}  // namespace onceward::http
