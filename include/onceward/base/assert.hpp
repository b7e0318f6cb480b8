#pragma once

/// @file
/// Assertions that stay on in release builds. They protect the at-most-once promise: a crash leaves
/// a record that reads as UNKNOWN, which is safe; a wrong second execution is not.

namespace onceward::base {

/// Prints the failed condition with its place to standard error and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace onceward::base

#define ONCEWARD_ASSERT(condition) ((condition) ? void(0) : ::onceward::base::assertion_failed(#condition, __FILE__, __LINE__))
