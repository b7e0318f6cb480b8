#include "store/sqlite/schema.hpp"

#include <stdexcept>

namespace onceward::store::sqlite {

namespace {

constexpr std::int64_t schema_version = 1;

// The comments inside the statements are stored with the table: `sqlite3 onceward.db .schema` shows them.
// A table with rowid: new records go to one end of it, so the records of one commit share pages. With the random `id` as the
// table's own key (WITHOUT ROWID) each would dirty a page of its own: with 100,000 records that took 2.2 times the CPU a claim.
std::string create_records(const TableNames& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.records + R"( (
  id BLOB PRIMARY KEY NOT NULL,  -- SHA-256 over route, scope and key
  v INTEGER NOT NULL,            -- version of this record's format
  ver INTEGER NOT NULL,          -- +1 at each write
  state TEXT NOT NULL,           -- PROCESSING, COMPLETED, FAILED, UNKNOWN
  route TEXT NOT NULL,           -- name of the route
  owner BLOB NOT NULL,           -- token of the latest claim
  last_owner BLOB NOT NULL,      -- token of the claim before it; zeros: none
  fence INTEGER NOT NULL,        -- grows with each claim
  attempt INTEGER NOT NULL,      -- number of claims
  operation_id INTEGER NOT NULL, -- what the service gets as Idempotency-Operation-Id
  fingerprint_version BLOB NOT NULL,
  fingerprint BLOB NOT NULL,     -- over the configured parts of the request
  raw BLOB NOT NULL,             -- over method, target and body as received
  caller BLOB NOT NULL,          -- over the configured caller
  parts TEXT NOT NULL,           -- a short digest of each part, to name the one that differs
  may INTEGER NOT NULL,          -- 1: an earlier attempt may have executed
  failure TEXT NOT NULL,         -- FAILED: not-executed or answered
  evidence TEXT NOT NULL,        -- why it is FAILED or UNKNOWN
  created_at INTEGER NOT NULL,   -- all times: microseconds since 1970
  updated_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,  -- PROCESSING: after it the record reads as UNKNOWN
  keep_until INTEGER NOT NULL,   -- else: after it the record reads as EXPIRED, a FAILED one as absent
  forget_at INTEGER NOT NULL,    -- after it the record is removed
  due_at INTEGER,                -- when the purge has work with this row: keep_until, then forget_at; NULL while PROCESSING
  status INTEGER,                -- COMPLETED: status of the recorded answer
  truncated INTEGER,             -- 1: the body was too large to be kept
  digest BLOB,                   -- SHA-256 of the body
  head BLOB,                     -- reason phrase and header fields; NULL once the record is a tombstone
  body BLOB                      -- of content in pieces its size, an INTEGER
))";
}

std::string create_contents(const TableNames& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.contents + R"( (
  id INTEGER PRIMARY KEY,
  record BLOB NOT NULL,          -- id of the record that the content is, or may become, the answer of
  fence INTEGER NOT NULL,        -- of the attempt
  until INTEGER NOT NULL,        -- after it the content is removed
  UNIQUE (record, fence)
))";
}

std::string create_pieces(const TableNames& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.pieces + R"( (
  content INTEGER NOT NULL,      -- id in the table of contents
  number INTEGER NOT NULL,       -- from 0
  bytes BLOB NOT NULL,           -- all but the last of one size
  UNIQUE (content, number)
))";
}

std::string create_workers(const TableNames& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.workers + R"( (
  id INTEGER PRIMARY KEY,        -- snowflake worker id, 0 to 1023
  owner BLOB NOT NULL,           -- token of the process that holds it
  lease_until INTEGER NOT NULL,  -- store's clock: after it another process may take it
  reserved_until INTEGER NOT NULL -- ids of this worker may carry times up to here
))";
}

std::string create_clock(const TableNames& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.clock + R"( (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot_id TEXT NOT NULL,         -- which boot of which machine `boot_time` belongs to
  boot_time INTEGER NOT NULL,    -- CLOCK_BOOTTIME, microseconds
  store_time INTEGER NOT NULL    -- the store's clock at that moment
))";
}

std::string create_rules(const TableNames& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.rules + R"( (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  rules TEXT NOT NULL            -- what keys mean: routes, scopes, key sources, by which a start tells what it finds otherwise
))";
}

std::string create_counts(const TableNames& tables) {
    return "CREATE TABLE " + tables.counts + R"( (
  state TEXT PRIMARY KEY NOT NULL, -- all but PROCESSING, which the index of open records counts
  records INTEGER NOT NULL
) WITHOUT ROWID)";
}

/// What a row counts as. COMPLETED and UNKNOWN are EXPIRED once the purge has found their `keep_until` to be over.
std::string counted_state(const std::string& row) {
    return "CASE WHEN " + row + "state IN ('COMPLETED', 'UNKNOWN') AND " + row + "due_at <> " + row +
           "keep_until THEN 'EXPIRED' ELSE " + row + "state END";
}

std::string add_to(const TableNames& tables, const char* number, const std::string& row) {
    return " BEGIN UPDATE " + tables.counts + " SET records = records + " + number + " WHERE state = " + counted_state(row) +
           "; END";
}

/// The numbers are kept by triggers: every program that writes to the file keeps them, in the same transaction. A claim fires
/// none and the end of an execution one.
void keep_counts(Database& database, const TableNames& tables) {
    const auto trigger = [&](const std::string& name, const std::string& when, const std::string& action) {
        database.must_execute("CREATE TRIGGER \"" + tables.plain + ":" + name + "\" AFTER " + when + action);
    };
    const auto differ = counted_state("OLD.") + " <> " + counted_state("NEW.");
    trigger("entered", "INSERT ON " + tables.records + " WHEN NEW.state <> 'PROCESSING'", add_to(tables, "1", "NEW."));
    trigger("changed_to", "UPDATE ON " + tables.records + " WHEN NEW.state <> 'PROCESSING' AND " + differ,
            add_to(tables, "1", "NEW."));
    trigger("changed_from", "UPDATE ON " + tables.records + " WHEN OLD.state <> 'PROCESSING' AND " + differ,
            add_to(tables, "-1", "OLD."));
    trigger("left", "DELETE ON " + tables.records + " WHEN OLD.state <> 'PROCESSING'", add_to(tables, "-1", "OLD."));
}

/// A file from before the counts: they are made of what is there, which reads it once.
void begin_counts(Database& database, const TableNames& tables) {
    const auto known = database.must_read_number(
        ("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '" + tables.plain + ":counts'").c_str());
    if (known != 0) {
        return;
    }
    database.must_execute(create_counts(tables));
    database.must_execute("UPDATE " + tables.records + " SET due_at = keep_until, ver = ver + 1 WHERE state = 'UNKNOWN'");
    for (const std::string state : {"COMPLETED", "FAILED", "UNKNOWN", "EXPIRED"}) {
        database.must_execute("INSERT INTO " + tables.counts + " SELECT '" + state + "', count(*) FROM " + tables.records +
                              " WHERE " + counted_state("") + " = '" + state + "'");
    }
    keep_counts(database, tables);
}

}  // namespace

TableNames::TableNames(const std::string& prefix)
    : records('"' + prefix + '"'),
      workers('"' + prefix + ":workers\""),
      clock('"' + prefix + ":clock\""),
      counts('"' + prefix + ":counts\""),
      rules('"' + prefix + ":rules\""),
      contents('"' + prefix + ":contents\""),
      pieces('"' + prefix + ":pieces\""),
      due('"' + prefix + ":due\""),
      open('"' + prefix + ":open\""),
      plain(prefix) {}

void migrate(Database& database, const TableNames& tables) {
    database.must_execute("BEGIN IMMEDIATE");
    const auto version = database.must_read_number("PRAGMA user_version");
    if (version > schema_version) {
        database.must_execute("ROLLBACK");
        throw std::runtime_error("SQLite store " + database.resolved_path() + ": the file has schema version " +
                                 std::to_string(version) + ", this program knows up to " + std::to_string(schema_version));
    }
    // Version 0 is an empty file, or one that something else keeps its tables in. Each prefix has tables of its own in one file.
    database.must_execute(create_records(tables));
    database.must_execute("CREATE INDEX IF NOT EXISTS " + tables.due + " ON " + tables.records +
                          " (due_at) WHERE due_at IS NOT NULL");
    database.must_execute("CREATE INDEX IF NOT EXISTS " + tables.open + " ON " + tables.records +
                          " (lease_until, keep_until, state) WHERE state = 'PROCESSING'");
    database.must_execute(create_workers(tables));
    database.must_execute(create_clock(tables));
    database.must_execute(create_rules(tables));
    database.must_execute(create_contents(tables));
    database.must_execute(create_pieces(tables));
    begin_counts(database, tables);
    database.must_execute("PRAGMA user_version=" + std::to_string(schema_version));
    database.must_execute("COMMIT");
}

}  // namespace onceward::store::sqlite
