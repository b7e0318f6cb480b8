#pragma once

#include <string>
#include <variant>

namespace onceward::config {

/// Why a text was not understood: what is wrong, and what was expected.
struct Complaint {
    std::string message;
};

template <typename T>
using Parsed = std::variant<T, Complaint>;

}  // namespace onceward::config
