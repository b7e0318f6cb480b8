#include "store/sqlite/content_table.hpp"

namespace onceward::store::sqlite {

namespace {

void bind(Statement& statement, const guard::PiecesId& of) {
    statement.bind_blob(1, of.id.bytes);
    statement.bind(2, of.fence.value);
}

std::string of_content(const TableNames& tables) {
    return "(SELECT id FROM " + tables.contents + " WHERE record = ?1 AND fence = ?2)";
}

std::string live_content(const TableNames& tables) {
    return "(SELECT id FROM " + tables.contents + " WHERE record = ?1 AND fence = ?2 AND until > ?3)";
}

std::string over(const TableNames& tables) {
    return "(SELECT id FROM " + tables.contents + " WHERE until <= ?1)";
}

}  // namespace

ContentTable::ContentTable(Database& database, const TableNames& tables)
    : database_(database),
      put_content_(database,
                   "INSERT INTO " + tables.contents +
                       " (record, fence, until) VALUES (?1, ?2, ?3) ON CONFLICT (record, fence) DO UPDATE SET until = ?3"),
      put_piece_(database, "INSERT OR REPLACE INTO " + tables.pieces + " (content, number, bytes) VALUES (" + of_content(tables) +
                               ", ?3, ?4)"),
      read_(database, "SELECT bytes FROM " + tables.pieces + " WHERE content = " + live_content(tables) + " AND number = ?4"),
      measure_(database, "SELECT count(*), total(length(bytes)) = ?4, max(number) FROM " + tables.pieces +
                             " WHERE content = " + live_content(tables)),
      keep_(database, "UPDATE " + tables.contents + " SET until = ?3 WHERE record = ?1 AND fence = ?2"),
      purge_pieces_(database, "DELETE FROM " + tables.pieces + " WHERE rowid IN (SELECT rowid FROM " + tables.pieces +
                                  " WHERE content IN " + over(tables) + " LIMIT ?2)"),
      purge_contents_(database, "DELETE FROM " + tables.contents + " WHERE until <= ?1 AND NOT EXISTS (SELECT 1 FROM " +
                                    tables.pieces + " WHERE content = " + tables.contents + ".id)") {}

SqlStatus ContentTable::put(const guard::ContentPiece& piece, StoreTime until) {
    {
        const StatementUse use{put_content_};
        bind(put_content_, piece.of);
        put_content_.bind(3, to_micros(until));
        if (const auto status = put_content_.step(); status != SqlStatus::done) {
            return status;
        }
    }
    const StatementUse use{put_piece_};
    bind(put_piece_, piece.of);
    put_piece_.bind(3, piece.index);
    put_piece_.bind_blob(4, Bytes{reinterpret_cast<const std::uint8_t*>(piece.bytes.data()), piece.bytes.size()});
    return put_piece_.step();
}

SqlStatus ContentTable::read(const guard::PiecesId& of, std::uint32_t index, StoreTime now, std::string& bytes) {
    bytes.clear();
    const StatementUse use{read_};
    bind(read_, of);
    read_.bind(3, to_micros(now));
    read_.bind(4, index);
    const auto status = read_.step();
    if (status != SqlStatus::row) {
        return status;
    }
    const auto blob = read_.blob(0);
    if (!blob) {
        return SqlStatus::malformed;
    }
    bytes.assign(blob->begin(), blob->end());
    return SqlStatus::done;
}

/// Of as many pieces as it takes, none can be smaller than it should be if their sum is right: none is larger.
SqlStatus ContentTable::is_whole(const guard::PiecesId& of, std::uint64_t bytes, StoreTime now, bool& whole) {
    const StatementUse use{measure_};
    bind(measure_, of);
    measure_.bind(3, to_micros(now));
    measure_.bind(4, static_cast<std::int64_t>(bytes));
    const auto status = measure_.step();
    const auto count = static_cast<std::int64_t>(guard::piece_count(bytes));
    whole =
        status == SqlStatus::row && measure_.integer(0) == count && measure_.integer(1) == 1 && measure_.integer(2) == count - 1;
    return status == SqlStatus::row ? SqlStatus::done : status;
}

SqlStatus ContentTable::keep(const guard::PiecesId& of, StoreTime until) {
    const StatementUse use{keep_};
    bind(keep_, of);
    keep_.bind(3, to_micros(until));
    return keep_.step();
}

SqlStatus ContentTable::purge(StoreTime now, std::int64_t limit, std::int64_t& touched) {
    {
        const StatementUse use{purge_pieces_};
        purge_pieces_.bind(1, to_micros(now));
        purge_pieces_.bind(2, limit);
        if (const auto status = purge_pieces_.step(); status != SqlStatus::done) {
            return status;
        }
        touched += database_.changes();
    }
    const StatementUse use{purge_contents_};
    purge_contents_.bind(1, to_micros(now));
    return purge_contents_.step();
}

}  // namespace onceward::store::sqlite
