#include "store/sqlite/rules_table.hpp"

namespace onceward::store::sqlite {

RulesTable::RulesTable(Database& database, const TableNames& tables)
    : select_(database, "SELECT rules FROM " + tables.rules + " WHERE id = 1"),
      replace_(database, "INSERT OR REPLACE INTO " + tables.rules + " (id, rules) VALUES (1, ?1)") {}

SqlStatus RulesTable::replace(const std::string& rules, std::string& former) {
    former.clear();
    {
        const StatementUse use{select_};
        const auto status = select_.step();
        if (status != SqlStatus::row && status != SqlStatus::done) {
            return status;
        }
        if (status == SqlStatus::row) {
            former = select_.text(0).value_or("");
        }
    }
    if (former == rules) {
        return SqlStatus::done;
    }
    const StatementUse use{replace_};
    replace_.bind_text(1, rules);
    return replace_.step();
}

}  // namespace onceward::store::sqlite
