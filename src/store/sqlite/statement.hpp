#pragma once

#include "store/sqlite/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3_stmt;

namespace onceward::store::sqlite {

using Bytes = std::span<const std::uint8_t>;

/// A prepared statement, kept for the life of the connection. Parameters count from 1, columns from 0.
/// What is bound is not copied: it must live until `reset`.
class Statement {
public:
    /// Throws std::runtime_error.
    Statement(Database& database, const std::string& sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int parameter, std::int64_t value);
    void bind_text(int parameter, std::string_view value);
    void bind_blob(int parameter, Bytes value);

    SqlStatus step();
    /// Ends the statement and forgets what was bound. Each use ends with it: an open read keeps the WAL from being reset.
    void reset();

    /// Nothing when the column holds another type: no conversions.
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    [[nodiscard]] std::optional<std::string_view> text(int column) const;
    [[nodiscard]] std::optional<Bytes> blob(int column) const;
    [[nodiscard]] bool is_null(int column) const;

private:
    void note(int bind_code);

    sqlite3_stmt* handle_ = nullptr;
    int bind_code_ = 0;  ///< of a bind that failed (a value too large): `step` answers it
};

/// Resets the statement at the end of its use, whatever the way out.
class StatementUse {
public:
    explicit StatementUse(Statement& statement) : statement_(statement) {}
    ~StatementUse() { statement_.reset(); }
    StatementUse(const StatementUse&) = delete;
    StatementUse& operator=(const StatementUse&) = delete;

private:
    Statement& statement_;
};

}  // namespace onceward::store::sqlite
