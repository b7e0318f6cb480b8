#pragma once

#include "onceward/config/reload.hpp"

#include <string>
#include <vector>

namespace onceward::config {

/// Appends what `next` makes of keys that were remembered under routes which `running` no longer has, or that guard less there.
void compare_former(const std::vector<FormerRoutes>& former, const Options& running, const Options& next,
                    std::vector<std::string>& warnings);

}  // namespace onceward::config
