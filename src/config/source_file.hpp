#pragma once

#include "onceward/base/file.hpp"
#include "onceward/config/load.hpp"

#include <string>
#include <variant>

namespace onceward::config {

/// With the digest of what it holds now; of what is no regular file or can't be read, all zero.
SourceFile as_it_is(const std::string& path);

/// What a configuration is made of is looked at up to here; it may not be larger.
inline constexpr std::size_t source_bytes_max = 1024 * 1024;

struct SourceText {
    SourceFile source;
    std::variant<std::string, base::FileFailure> text;
};
/// A regular file, read once: what it says and what changes are told by are the same bytes. `bytes_max` is at most
/// `source_bytes_max`.
SourceText read_source(const std::string& path, std::size_t bytes_max);

}  // namespace onceward::config
