#include "store/worker_table.hpp"

#include <algorithm>

namespace onceward::store {

std::optional<WorkerStep> lease_worker_row(int worker_id, const std::optional<WorkerRow>& stored,
                                           const WorkerLeaseRequest& request, StoreTime now) {
    const bool held_by_other = stored && stored->owner != request.owner && now < stored->lease_until;
    if (held_by_other) {
        return std::nullopt;
    }
    const auto reserved = stored ? stored->reserved_until : StoreTime{};
    WorkerStep step;
    step.write.owner = request.owner;
    step.write.lease_until = now + request.lease;
    // A new holder starts after everything that was reserved before it, whatever the clocks of the two say; the same one goes on
    // inside of what it reserved itself, also when it never heard of it.
    const bool of_another = stored && stored->owner != request.owner;
    step.reply.worker_id = worker_id;
    step.reply.usable_from = of_another ? std::max(request.clock, reserved + microseconds{1}) : request.clock;
    step.write.reserved_until = std::max(reserved, request.clock + request.horizon);
    if (of_another) {
        step.write.reserved_until = std::max(step.write.reserved_until, step.reply.usable_from + request.horizon);
    }
    step.reply.confirmed_until = step.write.reserved_until;
    return step;
}

}  // namespace onceward::store
