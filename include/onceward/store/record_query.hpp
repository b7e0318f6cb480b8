#pragma once

#include "onceward/guard/record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// @file
/// Looking at records (spec section 8): what `Store::find` and `Store::list` take and give.
///
/// Records are shown as they read by the store's clock: a PROCESSING one whose lease is over is UNKNOWN (evidence `lease`), one
/// past `keep_until` is EXPIRED, one past `forget_at` (a FAILED one past `keep_until`) is not shown. Looking changes nothing.

namespace onceward::store {

/// Whether the head and body of a recorded answer are wanted.
enum class Detail : std::uint8_t { fields, content };

/// How far to look for a record whose route is not known. Only stores that file records by route (Redis) make a difference.
enum class Reach : std::uint8_t {
    named_routes,  ///< under the routes that the lookup names
    everywhere     ///< there first, then through all records: seconds with millions of them
};

struct RecordLookup {
    RecordId id;
    /// Names of routes that the record may belong to, the likeliest first. The id of a key fixes the route: who has computed the
    /// id names that one, with `Reach::named_routes`; who was given an id names those that are configured.
    std::vector<std::string> routes;
    Reach reach = Reach::everywhere;
    Detail detail = Detail::fields;
};

/// A record as it reads.
struct FoundRecord {
    RecordId id;
    /// `response` is there when the record is COMPLETED, or EXPIRED and was: its status and digest, and with `Detail::content`
    /// head and body of a COMPLETED one that is not truncated.
    guard::Record record;
};

struct RecordQuery {
    std::string route;                        ///< empty: of every route
    std::optional<guard::RecordState> state;  ///< as it reads; nothing: in every state
    /// Only records whose `updated_at` is at least this long ago by the store's clock. Negative or zero: all.
    milliseconds older_than{0};
    std::size_t limit = 100;  ///< records on a page at most, 1 to `limit_max`
    std::string cursor;       ///< empty: the first page; else `next_cursor` of the page before, with the same query

    static constexpr std::size_t limit_max = 1'000;
};

struct ListedRecord {
    RecordId id;
    std::string route;  ///< the record's; empty where even that can't be read
    /// Nothing: it can't be read (junk, or of a newer version). Such records are listed where neither a state nor an age is asked
    /// for.
    std::optional<guard::Record> record;  ///< `response` as in `FoundRecord`, never with head and body
};

/// In no order. A page may hold fewer than `limit` records, even none, and yet not be the last.
struct RecordPage {
    std::vector<ListedRecord> records;
    /// Printable ASCII without blanks, some KiB at most, for this store only; empty: that was the last page. A record that is
    /// there and fits the query from the first page to the last is on one of them; one that comes, goes or changes meanwhile may
    /// be. With Redis a record may be on two when records come or go meanwhile.
    std::string next_cursor;
};

}  // namespace onceward::store
