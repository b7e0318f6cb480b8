#pragma once

#include "store/sqlite/schema.hpp"
#include "store/sqlite/statement.hpp"
#include "store/sqlite/steered_clock.hpp"

#include <optional>

namespace onceward::store::sqlite {

/// The row from which the processes of a host, and the next start, take their clock. Within a transaction of the caller.
class ClockTable {
public:
    ClockTable(Database& database, const TableNames& tables);

    /// Nothing when there is none, or it can't be read.
    std::optional<ClockMark> read();
    SqlStatus write(const ClockMark& mark);

private:
    Statement select_;
    Statement replace_;
};

}  // namespace onceward::store::sqlite
