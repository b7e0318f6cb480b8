#pragma once

#include "onceward/base/tagged.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::store::redis {

/// Where a list goes on. A page may end within a step of SCAN; the step is then made again, as long as it was, and what it gave
/// before is left out. SCAN promises to give again what is there all the time, so nothing is missed whatever comes and goes.
struct ListCursor {
    /// Keys that a step looks at when a page may end within it: with those that SCAN adds, fewer than `given_max`.
    static constexpr std::size_t count_max = 100;
    static constexpr std::size_t given_max = 200;

    std::string scan = "0";
    std::size_t count = 0;  ///< about how many keys the step looks at, 1 to `count_max`; of no meaning while nothing is given
    /// The first bytes of ids that were given and that no whole step has met since, the oldest first. The server may be moving
    /// its keys to another table: a step made again is then shorter than it was, and those behind its end are left out of the
    /// next one.
    std::vector<std::uint64_t> given;

    [[nodiscard]] bool has_given(const RecordId& id) const;
    /// When `given_max` were given the oldest is forgotten: one that no step met in so long is gone.
    void give(const RecordId& id);
    /// A whole step met it: none will again.
    void meet(const RecordId& id);
};

std::string to_text(const ListCursor& cursor);
/// An empty text is the beginning. Nothing when it is not a cursor.
std::optional<ListCursor> parse_list_cursor(std::string_view text);

}  // namespace onceward::store::redis
