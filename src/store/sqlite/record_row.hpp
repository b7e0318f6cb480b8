#pragma once

#include "onceward/guard/record.hpp"
#include "store/sqlite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace onceward::store::sqlite {

/// Version of a record's format (`v`). A row of a newer one is not read.
constexpr std::int64_t record_version = 1;

/// Columns that a record is made of, in the order in which they are selected (from 0) and bound (from 1).
enum class Column : std::uint8_t {
    v,
    ver,
    state,
    route,
    owner,
    last_owner,
    fence,
    attempt,
    operation_id,
    fingerprint_version,
    fingerprint,
    raw,
    caller,
    parts,
    may,
    failure,
    evidence,
    created_at,
    updated_at,
    lease_until,
    keep_until,
    forget_at,
    due_at,
    status,
    truncated,
    digest,
    head,
    body
};
constexpr const char* column_names =
    "v, ver, state, route, owner, last_owner, fence, attempt, operation_id, fingerprint_version, fingerprint, raw, caller, "
    "parts, may, "
    "failure, evidence, created_at, updated_at, lease_until, keep_until, forget_at, due_at, status, truncated, digest, head, "
    "body";
constexpr int column_count = static_cast<int>(Column::body) + 1;

/// The record of the row that `select` stands on; nothing when a value is not what this version writes. `ver` is set with it.
std::optional<guard::Record> read_row(const Statement& select, std::int64_t& ver);

/// The same columns without what makes a row large, for lists: where there is a head or a body, an empty one.
const std::string& light_column_names();

/// The route of a row whose record can't be read; empty when it is no text.
std::string read_route(const Statement& select);

/// Binds all columns to parameters 1 to `column_count`. `record` must live until the statement is reset.
void bind_row(Statement& statement, const guard::Record& record, std::int64_t ver);

}  // namespace onceward::store::sqlite
