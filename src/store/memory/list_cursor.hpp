#pragma once

#include "store/memory/memory_shard.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace onceward::store {

/// How far a list has come in the shards of a process. Valid whatever comes and goes meanwhile.
struct ListCursor {
    std::size_t shard = 0;
    ListPlace place;
};

std::string to_text(const ListCursor& cursor);
/// An empty text is the beginning. Nothing when it is not a cursor of `shard_count` shards.
std::optional<ListCursor> parse_list_cursor(std::string_view text, std::size_t shard_count);

}  // namespace onceward::store
