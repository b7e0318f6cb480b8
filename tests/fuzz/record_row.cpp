// Records of SQLite: a row of any values is read or refused, and what was read is written and read again as the same row.

#include "store/sqlite/record_row.hpp"

#include "onceward/base/assert.hpp"
#include "temporary_folder.hpp"

#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>

using namespace onceward;
using namespace onceward::store::sqlite;

namespace {

/// A statement whose row is what was bound.
std::string echo_sql() {
    std::string sql = "SELECT ?1";
    for (int i = 2; i <= column_count; ++i) {
        sql += ", ?" + std::to_string(i);
    }
    return sql;
}

struct Echoes {
    test::TemporaryFolder folder;
    Database database{folder.file("echo.db"), milliseconds{0}};
    Statement first{database, echo_sql()};
    Statement second{database, echo_sql()};
};

/// A line a column: `i` and digits, `t` and text, `b` and bytes; anything else is NULL.
void bind_lines(Statement& statement, std::string_view text) {
    for (int column = 1; column <= column_count; ++column) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const auto value = line.substr(std::min<std::size_t>(1, line.size()));
        if (line.starts_with('i')) {
            std::int64_t number = 0;
            std::from_chars(value.data(), value.data() + value.size(), number);
            statement.bind(column, number);
        } else if (line.starts_with('t')) {
            statement.bind_text(column, value);
        } else if (line.starts_with('b')) {
            statement.bind_blob(column, Bytes{reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
        }
    }
}

bool same_column(const Statement& a, const Statement& b, int column) {
    const auto first = a.blob(column);
    const auto second = b.blob(column);
    const bool same_bytes = first && second ? std::equal(first->begin(), first->end(), second->begin(), second->end())
                                            : first.has_value() == second.has_value();
    return same_bytes && a.integer(column) == b.integer(column) && a.text(column) == b.text(column) &&
           a.is_null(column) == b.is_null(column);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Echoes echoes;
    const StatementUse first_use{echoes.first};
    const StatementUse second_use{echoes.second};
    bind_lines(echoes.first, {reinterpret_cast<const char*>(data), size});
    ONCEWARD_ASSERT(echoes.first.step() == SqlStatus::row);
    std::int64_t ver = 0;
    const auto record = read_row(echoes.first, ver);
    if (!record) {
        return 0;
    }
    bind_row(echoes.second, *record, ver);
    ONCEWARD_ASSERT(echoes.second.step() == SqlStatus::row);
    std::int64_t again_ver = 0;
    const auto again = read_row(echoes.second, again_ver);
    ONCEWARD_ASSERT(again && again_ver == ver);
    echoes.first.reset();
    bind_row(echoes.first, *again, again_ver);
    ONCEWARD_ASSERT(echoes.first.step() == SqlStatus::row);
    for (int column = 0; column < column_count; ++column) {
        ONCEWARD_ASSERT(same_column(echoes.first, echoes.second, column));
    }
    return 0;
}
