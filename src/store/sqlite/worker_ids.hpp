#pragma once

#include "store/sqlite/schema.hpp"
#include "store/sqlite/statement.hpp"
#include "store/worker_table.hpp"

#include <optional>

namespace onceward::store::sqlite {

/// The snowflake worker ids of this file, one row each. Within a transaction of the caller.
class WorkerIds {
public:
    WorkerIds(Database& database, const TableNames& tables);

    /// `granted` gets the lease, or nothing when the id that was wanted, or each of them, is another's.
    SqlStatus lease(const WorkerLeaseRequest& request, StoreTime now, std::optional<WorkerLease>& granted);

private:
    SqlStatus choose(const OwnerToken& owner, StoreTime now, int& id);
    SqlStatus read(int id, std::optional<WorkerRow>& row);
    SqlStatus write(int id, const WorkerRow& row);

    Statement select_;
    Statement held_;
    Statement replace_;
};

}  // namespace onceward::store::sqlite
