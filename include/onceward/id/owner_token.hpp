#pragma once

#include "onceward/base/tagged.hpp"

namespace onceward::id {

/// 128 random bits of the kernel: one for each claim, never given twice (protocol section 4, `own`). From any thread.
OwnerToken make_owner_token();

}  // namespace onceward::id
