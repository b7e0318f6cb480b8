#include "store/sqlite/record_table.hpp"

#include "store/sqlite/record_row.hpp"

#include <algorithm>
#include <string>

namespace onceward::store::sqlite {

namespace {

constexpr int id_parameter = column_count + 1;
constexpr int seen_parameter = column_count + 2;

std::string parameters(int count) {
    std::string list = "?1";
    for (int i = 2; i <= count; ++i) {
        list += ", ?" + std::to_string(i);
    }
    return list;
}

std::string select_sql(const TableNames& tables) {
    return std::string{"SELECT "} + column_names + " FROM " + tables.records + " WHERE id = ?1";
}

std::string list_sql(const TableNames& tables) {
    return "SELECT " + light_column_names() + ", rowid, id FROM " + tables.records + " WHERE rowid > ?1 ORDER BY rowid LIMIT ?2";
}

ListedRow read_listed(const Statement& row) {
    ListedRow listed;
    std::int64_t ver = 0;
    listed.number = row.integer(column_count).value_or(0);
    const auto id = row.blob(column_count + 1);
    if (id && id->size() == RecordId::size) {
        std::copy(id->begin(), id->end(), listed.id.emplace().bytes.begin());
    }
    listed.route = read_route(row);
    listed.record = read_row(row, ver);
    return listed;
}

std::string insert_sql(const TableNames& tables) {
    return "INSERT INTO " + tables.records + " (" + column_names + ", id) VALUES (" + parameters(id_parameter) + ")";
}

std::string update_sql(const TableNames& tables) {
    return "UPDATE " + tables.records + " SET (" + column_names + ") = (" + parameters(column_count) + ") WHERE id = ?" +
           std::to_string(id_parameter) + " AND ver = ?" + std::to_string(seen_parameter);
}

// A row of a newer version has rules that are not known here, and junk where a time should be does not compare as a number.
std::string over_sql(const TableNames& tables, const char* which) {
    return " WHERE rowid IN (SELECT rowid FROM " + tables.records +
           " WHERE due_at <= ?1 AND v = " + std::to_string(record_version) + " AND state <> 'PROCESSING' AND " + which +
           " ORDER BY due_at LIMIT ?2)";
}

}  // namespace

Access access_of(SqlStatus status) {
    switch (status) {
        case SqlStatus::done:
        case SqlStatus::row:
            return Access::done;
        case SqlStatus::refused:
            return Access::refused;
        case SqlStatus::malformed:
            return Access::corrupt;
        default:
            return Access::failed;
    }
}

RecordTable::RecordTable(Database& database, const TableNames& tables)
    : database_(database),
      select_(database, select_sql(tables)),
      list_(database, list_sql(tables)),
      insert_(database, insert_sql(tables)),
      update_(database, update_sql(tables)),
      forget_(database, "DELETE FROM " + tables.records + over_sql(tables, "forget_at <= ?1")),
      strip_(database, "UPDATE " + tables.records + " SET head = NULL, body = NULL, due_at = forget_at, ver = ver + 1" +
                           over_sql(tables, "forget_at > ?1")) {}

Access RecordTable::read(const RecordId& id, std::optional<StoredRecord>& found) {
    const StatementUse use{select_};
    found.reset();
    select_.bind_blob(1, id.bytes);
    const auto status = select_.step();
    if (status == SqlStatus::row) {
        std::int64_t ver = 0;
        auto record = read_row(select_, ver);
        if (!record) {
            return Access::corrupt;
        }
        found.emplace(StoredRecord{std::move(*record), ver});
    }
    return access_of(status);
}

Access RecordTable::list(std::int64_t after, std::int64_t limit, std::vector<ListedRow>& rows) {
    const StatementUse use{list_};
    list_.bind(1, after);
    list_.bind(2, limit);
    auto status = list_.step();
    for (; status == SqlStatus::row; status = list_.step()) {
        rows.push_back(read_listed(list_));
    }
    return access_of(status);
}

Access RecordTable::write(const RecordId& id, const guard::Record& record, std::optional<std::int64_t> ver) {
    auto& statement = ver ? update_ : insert_;
    const StatementUse use{statement};
    bind_row(statement, record, ver.value_or(0) + 1);
    statement.bind_blob(id_parameter, id.bytes);
    if (ver) {
        statement.bind(seen_parameter, *ver);
    }
    const auto status = statement.step();
    // The row was read in this transaction, under the write lock: a counter that moved since means that the lock does not hold.
    return status == SqlStatus::done && database_.changes() != 1 ? Access::failed : access_of(status);
}

Access RecordTable::purge(StoreTime now, std::int64_t limit, std::int64_t& touched) {
    const auto forgotten = purge_with(forget_, now, limit, touched);
    return forgotten == Access::done ? purge_with(strip_, now, limit, touched) : forgotten;
}

Access RecordTable::purge_with(Statement& statement, StoreTime now, std::int64_t limit, std::int64_t& touched) {
    const StatementUse use{statement};
    statement.bind(1, to_micros(now));
    statement.bind(2, limit);
    const auto status = statement.step();
    if (status == SqlStatus::done) {
        touched += database_.changes();
    }
    return access_of(status);
}

}  // namespace onceward::store::sqlite
