#pragma once

#include "onceward/http/headers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onceward::http {

/// Trace id (32 hex digits) of a `traceparent` value; empty when it is not valid (W3C Trace Context, section 3.2).
std::string_view trace_id(std::string_view traceparent);
/// That of the one valid `traceparent` among `headers`, as a view into them; empty: none, a broken one, or several.
std::string_view trace_id(const HeaderList& headers);

/// A new sampled `traceparent` (55 characters) out of random bytes, written over `out`.
void make_traceparent(std::string& out, std::span<const std::uint8_t, 24> random);

}  // namespace onceward::http
