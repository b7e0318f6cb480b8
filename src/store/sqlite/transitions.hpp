#pragma once

#include "onceward/base/time.hpp"
#include "store/sqlite/content_table.hpp"
#include "store/sqlite/operation.hpp"
#include "store/sqlite/record_table.hpp"
#include "store/sqlite/rules_table.hpp"
#include "store/sqlite/steered_clock.hpp"
#include "store/sqlite/worker_ids.hpp"

namespace onceward::store::sqlite {

/// Carries operations out on the tables: reads the row, lets the record machine decide, writes. Within a transaction of the
/// caller. Each operation writes at most one record and decides before, so that one that fails leaves nothing behind that counts
/// and harms no other.
class Transitions {
public:
    Transitions(Database& database, const TableNames& tables, SteeredClock& clock);

    /// Sets the operation's reply or error. False: the transaction is lost.
    [[nodiscard]] bool carry_out(Operation& operation);
    /// Ends what is over: up to `limit` records that are to be removed, as many that are to be stripped of their answer, and as
    /// many pieces of answers. `touched` grows by their number.
    Access purge(StoreTime now, std::int64_t limit, std::int64_t& touched);

private:
    [[nodiscard]] Access claim(Operation& operation);
    [[nodiscard]] Access apply(Operation& operation);
    [[nodiscard]] Access decide(Operation& operation, const std::optional<guard::PiecesId>& pieces);
    [[nodiscard]] Access lease_worker(Operation& operation);

    [[nodiscard]] Access operate(Operation& operation);
    [[nodiscard]] Access find(OperatorCall& call);
    [[nodiscard]] Access list(OperatorCall& call);
    void list_row(OperatorCall& call, ListedRow row);

    [[nodiscard]] Access append(OperatorCall& call);
    [[nodiscard]] Access read_piece(OperatorCall& call);
    [[nodiscard]] Access discard(const OperatorCall& call);

    [[nodiscard]] Access read(const RecordId& id);
    [[nodiscard]] Access write(const RecordId& id, const std::optional<guard::Record>& record);
    [[nodiscard]] StoreTime now();

    SteeredClock& clock_;
    RecordTable records_;
    WorkerIds workers_;
    RulesTable rules_;
    ContentTable contents_;
    std::optional<StoredRecord> found_;  ///< of the operation at hand
    std::optional<guard::Record> stored_;
};

}  // namespace onceward::store::sqlite
