#pragma once

#include "store/sqlite/database.hpp"

#include <string>

namespace onceward::store::sqlite {

/// Names of the tables of one prefix, quoted. The colon can't be part of a prefix, so no two prefixes meet.
struct TableNames {
    explicit TableNames(const std::string& prefix);
    std::string records;   ///< one row a key
    std::string workers;   ///< one row a snowflake worker id that was ever leased
    std::string clock;     ///< one row: what the store's clock said last
    std::string counts;    ///< one row a state: how many records
    std::string rules;     ///< one row: what keys mean
    std::string contents;  ///< one row a large answer
    std::string pieces;    ///< its content
    std::string due;       ///< index of `records`
    std::string open;      ///< index of the records that are PROCESSING
    std::string plain;     ///< the prefix, as it begins every name
};

/// Brings the file to this version's schema. Several processes may do it at once. Throws std::runtime_error, also for a file of a
/// newer version: it is left untouched.
void migrate(Database& database, const TableNames& tables);

}  // namespace onceward::store::sqlite
