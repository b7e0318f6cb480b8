#pragma once

#include "onceward/store/store.hpp"

#include <optional>

namespace onceward::store {

inline constexpr int worker_count = 1024;

/// Who holds a snowflake worker id, as a store remembers it (protocol section 15). Never deleted: `reserved_until` must outlive
/// its holder.
struct WorkerRow {
    OwnerToken owner;
    StoreTime lease_until;     ///< on the store's clock: then another may take the id
    StoreTime reserved_until;  ///< on the holders' clocks: ids up to here may have been given out
};

struct WorkerStep {
    WorkerRow write;
    WorkerLease reply;
};

/// Decides whether `request` gets the worker id whose row is `stored` (nothing when it was never held); nothing when it is
/// another's.
std::optional<WorkerStep> lease_worker_row(int worker_id, const std::optional<WorkerRow>& stored,
                                           const WorkerLeaseRequest& request, StoreTime now);

}  // namespace onceward::store
