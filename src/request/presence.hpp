#pragma once

#include <cstdint>

namespace onceward::request {

/// What was found where a source points. `invalid`: something that can't be told to be one value.
enum class Presence : std::uint8_t { absent, present, invalid };

}  // namespace onceward::request
