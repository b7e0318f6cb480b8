#include "store/sqlite/worker_ids.hpp"

#include <algorithm>
#include <bitset>

namespace onceward::store::sqlite {

namespace {

constexpr int none = -1;

/// Where a process begins to look for a free id: processes on other hosts have other files, and should not all be worker 0.
int first_choice(const OwnerToken& owner) {
    return (owner.bytes[0] * 256 + owner.bytes[1]) % worker_count;
}

}  // namespace

WorkerIds::WorkerIds(Database& database, const TableNames& tables)
    : select_(database, "SELECT owner, lease_until, reserved_until FROM " + tables.workers + " WHERE id = ?1"),
      held_(database, "SELECT id, owner = ?2 FROM " + tables.workers + " WHERE lease_until > ?1 OR owner = ?2"),
      replace_(database, "INSERT OR REPLACE INTO " + tables.workers +
                             " (id, owner, lease_until, reserved_until) VALUES (?1, ?2, ?3, ?4)") {}

SqlStatus WorkerIds::lease(const WorkerLeaseRequest& request, StoreTime now, std::optional<WorkerLease>& granted) {
    granted.reset();
    int id = request.wanted;
    if (id == none) {
        if (const auto status = choose(request.owner, now, id); status != SqlStatus::done) {
            return status;
        }
    }
    if (id < 0 || id >= worker_count) {
        return SqlStatus::done;
    }
    std::optional<WorkerRow> stored;
    if (const auto status = read(id, stored); status != SqlStatus::done) {
        return status;
    }
    const auto step = lease_worker_row(id, stored, request, now);
    if (!step) {
        return SqlStatus::done;
    }
    granted = step->reply;
    return write(id, step->write);
}

/// The id that this owner has, or one whose lease is over or that nobody ever had; `none` when there is none.
SqlStatus WorkerIds::choose(const OwnerToken& owner, StoreTime now, int& id) {
    std::bitset<worker_count> taken;
    const StatementUse use{held_};
    held_.bind(1, to_micros(now));
    held_.bind_blob(2, owner.bytes);
    auto status = held_.step();
    for (; status == SqlStatus::row; status = held_.step()) {
        const auto held = held_.integer(0).value_or(none);
        if (held < 0 || held >= worker_count) {
            continue;
        }
        if (held_.integer(1) == 1) {
            id = static_cast<int>(held);
            return SqlStatus::done;
        }
        taken.set(static_cast<std::size_t>(held));
    }
    id = none;
    for (int i = 0; i < worker_count && id == none; ++i) {
        const int candidate = (first_choice(owner) + i) % worker_count;
        if (!taken.test(static_cast<std::size_t>(candidate))) {
            id = candidate;
        }
    }
    return status;
}

SqlStatus WorkerIds::read(int id, std::optional<WorkerRow>& row) {
    const StatementUse use{select_};
    select_.bind(1, id);
    const auto status = select_.step();
    if (status != SqlStatus::row) {
        return status;
    }
    const auto owner = select_.blob(0);
    const auto lease_until = select_.integer(1);
    const auto reserved_until = select_.integer(2);
    if (!owner || owner->size() != OwnerToken::size || !lease_until || !reserved_until) {
        return SqlStatus::malformed;
    }
    row.emplace(WorkerRow{{}, from_micros(*lease_until), from_micros(*reserved_until)});
    std::copy(owner->begin(), owner->end(), row->owner.bytes.begin());
    return SqlStatus::done;
}

SqlStatus WorkerIds::write(int id, const WorkerRow& row) {
    const StatementUse use{replace_};
    replace_.bind(1, id);
    replace_.bind_blob(2, row.owner.bytes);
    replace_.bind(3, to_micros(row.lease_until));
    replace_.bind(4, to_micros(row.reserved_until));
    return replace_.step();
}

}  // namespace onceward::store::sqlite
