#include "store/sqlite/count_table.hpp"

#include <algorithm>
#include <string>

namespace onceward::store::sqlite {

namespace {

using guard::RecordState;

/// More executions at once than any process has; so many owners that died would be counted no further.
constexpr std::int64_t open_max = 100'000;

std::uint64_t& at(RecordCounts& counts, RecordState state) {
    return counts[static_cast<std::size_t>(state)];
}

}  // namespace

CountTable::CountTable(Database& database, const TableNames& tables)
    : select_ended_(database, "SELECT state, records FROM " + tables.counts),
      select_open_(
          database,
          "SELECT count(*) FILTER (WHERE lease_until > ?1), count(*) FILTER (WHERE lease_until <= ?1 AND keep_until > ?1), "
          "count(*) FROM (SELECT lease_until, keep_until FROM " +
              tables.records + " WHERE state = 'PROCESSING' LIMIT " + std::to_string(open_max) + ")") {}

std::optional<RecordCounts> CountTable::read(StoreTime now) {
    RecordCounts counts{};
    return read_ended(counts) && read_open(counts, now) ? std::optional(counts) : std::nullopt;
}

bool CountTable::read_ended(RecordCounts& counts) {
    const StatementUse use{select_ended_};
    auto status = select_ended_.step();
    for (; status == SqlStatus::row; status = select_ended_.step()) {
        const auto state = guard::parse_record_state(select_ended_.text(0).value_or(""));
        const auto records = select_ended_.integer(1);
        if (state && records) {
            at(counts, *state) = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *records));
        }
    }
    return status == SqlStatus::done;
}

/// A lease that is over reads as UNKNOWN: its owner died.
bool CountTable::read_open(RecordCounts& counts, StoreTime now) {
    const StatementUse use{select_open_};
    select_open_.bind(1, to_micros(now));
    if (select_open_.step() != SqlStatus::row) {
        return false;
    }
    const auto executing = static_cast<std::uint64_t>(select_open_.integer(0).value_or(0));
    const auto lapsed = static_cast<std::uint64_t>(select_open_.integer(1).value_or(0));
    const auto all = static_cast<std::uint64_t>(select_open_.integer(2).value_or(0));
    at(counts, RecordState::processing) = executing;
    at(counts, RecordState::unknown) += lapsed;
    at(counts, RecordState::expired) += all - executing - lapsed;
    return true;
}

}  // namespace onceward::store::sqlite
