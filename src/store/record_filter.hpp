#pragma once

#include "onceward/store/record_query.hpp"

#include <string_view>

namespace onceward::store {

/// Whether a record, as it reads at `now`, is one that the query asks for.
bool matches(const RecordQuery& query, const guard::Record& seen, StoreTime now);

/// Whether a record that can't be read is listed. `route` is empty where that is not known either.
bool matches_unreadable(const RecordQuery& query, std::string_view route);

/// How long a store gathers for one page before it gives what it has.
constexpr milliseconds list_patience{200};

}  // namespace onceward::store
