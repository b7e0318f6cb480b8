#pragma once

#include "onceward/base/time.hpp"
#include "onceward/store/record_counts.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/statement.hpp"

#include <optional>

namespace onceward::store::sqlite {

/// How many records there are in each state, as triggers keep it: nothing here looks at the records themselves, but for those
/// that are PROCESSING.
class CountTable {
public:
    CountTable(Database& database, const TableNames& tables);

    /// By the state that records read as at `now`; EXPIRED as far as the purge has come. Nothing when it can't be read.
    std::optional<RecordCounts> read(StoreTime now);

private:
    [[nodiscard]] bool read_ended(RecordCounts& counts);
    [[nodiscard]] bool read_open(RecordCounts& counts, StoreTime now);

    Statement select_ended_;
    Statement select_open_;
};

}  // namespace onceward::store::sqlite
