#pragma once

#include "onceward/guard/record.hpp"

#include <array>
#include <cstdint>

namespace onceward::store {

inline constexpr std::size_t record_state_count = 5;

/// How many records a store holds, by state: `onceward_records`. Indexed by `guard::RecordState`.
using RecordCounts = std::array<std::uint64_t, record_state_count>;

}  // namespace onceward::store
