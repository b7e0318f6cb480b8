#pragma once

#include "onceward/guard/record.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onceward::store::sqlite {

/// How an access to the table ended.
enum class Access : std::uint8_t {
    done,
    corrupt,  ///< this row can't be read; others may be fine
    refused,  ///< this row can't be written, for good; likewise
    failed    ///< the transaction is lost; `Database::message` tells why
};

Access access_of(SqlStatus status);

/// A record with the counter that its next write must name.
struct StoredRecord {
    guard::Record record;
    std::int64_t ver = 0;
};

/// A row of a list.
struct ListedRow {
    std::int64_t number = 0;              ///< grows with each record that is inserted
    std::optional<RecordId> id;           ///< nothing when it is no id
    std::string route;                    ///< empty when it is no text
    std::optional<guard::Record> record;  ///< nothing when it can't be read; a response is without head and body
};

/// The table of records: records to rows and back. Within a transaction of the caller.
class RecordTable {
public:
    RecordTable(Database& database, const TableNames& tables);

    /// `found` gets the record, or nothing when there is none.
    Access read(const RecordId& id, std::optional<StoredRecord>& found);
    /// Replaces the row that was read as `ver`; nothing: inserts it.
    Access write(const RecordId& id, const guard::Record& record, std::optional<std::int64_t> ver);

    /// The next rows behind number `after`, `limit` at most, in the order in which the table lies on disk: no index is needed,
    /// and what is inserted or removed meanwhile moves no other row.
    Access list(std::int64_t after, std::int64_t limit, std::vector<ListedRow>& rows);

    /// Removes up to `limit` records that are over at `now`, and strips the body off up to `limit` that read as EXPIRED.
    /// `touched` grows by their number. Never a record that is PROCESSING or of a newer version.
    Access purge(StoreTime now, std::int64_t limit, std::int64_t& touched);

private:
    Access purge_with(Statement& statement, StoreTime now, std::int64_t limit, std::int64_t& touched);

    Database& database_;
    Statement select_;
    Statement list_;
    Statement insert_;
    Statement update_;
    Statement forget_;
    Statement strip_;
};

}  // namespace onceward::store::sqlite
