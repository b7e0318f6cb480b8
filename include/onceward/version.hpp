#pragma once

#include <string_view>

namespace onceward {

/// `MAJOR.MINOR.PATCH`.
inline constexpr std::string_view version = ONCEWARD_VERSION;

}  // namespace onceward
