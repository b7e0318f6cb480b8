#pragma once

#include "onceward/base/tagged.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::store::redis {

/// Where a list goes on. A page may end within a step of SCAN; the step is then made again, and what it gave before is left out.
/// SCAN promises to give again what is there all the time, so nothing is missed whatever comes and goes.
struct ListCursor {
    std::string scan = "0";
    std::vector<std::uint64_t> given;  ///< the first bytes of ids that were given of the step from `scan`

    [[nodiscard]] bool has_given(const RecordId& id) const;
    void give(const RecordId& id);
};

std::string to_text(const ListCursor& cursor);
/// An empty text is the beginning. Nothing when it is not a cursor.
std::optional<ListCursor> parse_list_cursor(std::string_view text);

}  // namespace onceward::store::redis
