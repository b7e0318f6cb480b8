#pragma once

#include "onceward/guard/content_piece.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/statement.hpp"

#include <cstdint>
#include <string>

namespace onceward::store::sqlite {

/// The tables of large answers in pieces. Within a transaction of the caller.
class ContentTable {
public:
    ContentTable(Database& database, const TableNames& tables);

    /// Stores the piece in place of one of the same number, and lets the content end with `until`.
    SqlStatus put(const guard::ContentPiece& piece, StoreTime until);
    /// Empty when the piece is not there, or its content is over at `now`.
    SqlStatus read(const guard::PiecesId& of, std::uint32_t index, StoreTime now, std::string& bytes);
    /// Whether `bytes` of content are there in pieces of the right size, and not over at `now`.
    SqlStatus is_whole(const guard::PiecesId& of, std::uint64_t bytes, StoreTime now, bool& whole);
    /// The content now ends with `until`.
    SqlStatus keep(const guard::PiecesId& of, StoreTime until);
    /// Removes up to `limit` pieces of what is over at `now`; `touched` grows by their number.
    SqlStatus purge(StoreTime now, std::int64_t limit, std::int64_t& touched);

private:
    Database& database_;
    Statement put_content_;
    Statement put_piece_;
    Statement read_;
    Statement measure_;
    Statement keep_;
    Statement purge_pieces_;
    Statement purge_contents_;
};

}  // namespace onceward::store::sqlite
