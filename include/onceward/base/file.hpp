#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace onceward::base {

enum class FileFailure : std::uint8_t {
    unreadable,  ///< not there, no right to read it, or no regular file: a directory, a pipe, a device
    too_large
};

/// What a regular file holds, `bytes_max` bytes at most. Does not wait for anybody to open or write the other end of a pipe, and
/// takes nothing out of one. Blocks for as long as a disk takes. Any thread.
std::variant<std::string, FileFailure> read_regular_file(const std::string& path, std::size_t bytes_max);

}  // namespace onceward::base
