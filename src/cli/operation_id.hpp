#pragma once

#include "cli/arguments.hpp"

#include <cstdint>
#include <string>

namespace onceward::cli {

/// What an operation id is made of: its time, worker and sequence, as lines or as JSON. Pure.
std::string operation_id_text(std::int64_t number, Output output);

}  // namespace onceward::cli
