#include "store/sqlite/clock_table.hpp"

namespace onceward::store::sqlite {

ClockTable::ClockTable(Database& database, const TableNames& tables)
    : select_(database, "SELECT boot_id, boot_time, store_time FROM " + tables.clock + " WHERE id = 1"),
      replace_(database,
               "INSERT OR REPLACE INTO " + tables.clock + " (id, boot_id, boot_time, store_time) VALUES (1, ?1, ?2, ?3)") {}

std::optional<ClockMark> ClockTable::read() {
    const StatementUse use{select_};
    if (select_.step() != SqlStatus::row) {
        return std::nullopt;
    }
    const auto boot_id = select_.text(0);
    const auto boot = select_.integer(1);
    const auto store = select_.integer(2);
    if (!boot_id || !boot || !store) {
        return std::nullopt;
    }
    return ClockMark{std::string{*boot_id}, microseconds{*boot}, from_micros(*store)};
}

SqlStatus ClockTable::write(const ClockMark& mark) {
    const StatementUse use{replace_};
    replace_.bind_text(1, mark.boot_id);
    replace_.bind(2, mark.boot.count());
    replace_.bind(3, to_micros(mark.store));
    return replace_.step();
}

}  // namespace onceward::store::sqlite
