#pragma once

#include "onceward/config/load.hpp"

#include <string>

namespace onceward::config {

/// With the digest of what it holds now; of what is no regular file or can't be read, all zero.
SourceFile as_it_is(const std::string& path);

}  // namespace onceward::config
