#pragma once

#include "config/syntax.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// `{profile, fail, hold}`; a list that is not given is the profile's.
Syntax<Outcomes> outcomes();
/// `{format, status, messages}`.
Syntax<Errors> errors();

}  // namespace onceward::config
