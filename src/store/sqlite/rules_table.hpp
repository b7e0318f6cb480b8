#pragma once

#include "store/sqlite/schema.hpp"
#include "store/sqlite/statement.hpp"

#include <string>

namespace onceward::store::sqlite {

/// The row that says what keys mean. Within a transaction of the caller.
class RulesTable {
public:
    RulesTable(Database& database, const TableNames& tables);

    /// Writes `rules` where they are others, and sets `former` to those that were there; empty: none.
    SqlStatus replace(const std::string& rules, std::string& former);

private:
    Statement select_;
    Statement replace_;
};

}  // namespace onceward::store::sqlite
