#pragma once

#include "onceward/base/task.hpp"
#include "onceward/id/snowflake.hpp"
#include "onceward/store/store.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}

namespace onceward::id {

struct WorkerLeaseOptions {
    std::optional<std::uint32_t> worker_id;  ///< 0..1023 from the configuration; nothing: any that is free
    OwnerToken process;                      ///< of this process, for its whole life
    milliseconds store_timeout{500};         ///< of one store call
};

/// Keeps this process's snowflake worker id (protocol section 15): one a process, on one of its loops.
///
/// A shared store leases the id: `run` takes it, renews it every second and tells each horizon that the store confirmed. Until
/// there is one, and once one is over, generators refuse. On a store that is not shared the id is random (or the configured one)
/// and needs no renewal; a random one is warned about in the log, for two processes may draw the same.
class WorkerLeaseKeeper {
public:
    /// Called on the keeper's loop. Hands the grant to every loop: `asio::post` to it, then `SnowflakeGenerator::grant` there.
    using OnGrant = std::function<void(const WorkerGrant&)>;

    /// `store` is the port of `loop`; both must outlive the keeper.
    WorkerLeaseKeeper(boost::asio::io_context& loop, store::Store& store, const WorkerLeaseOptions& options, OnGrant on_grant);
    ~WorkerLeaseKeeper();
    WorkerLeaseKeeper(const WorkerLeaseKeeper&) = delete;
    WorkerLeaseKeeper& operator=(const WorkerLeaseKeeper&) = delete;

    /// Runs until `stop`, once. The keeper must outlive it.
    Task<> run();
    /// Makes `run` let the lease go, so that a successor with the same worker id need not wait for its end, and return within
    /// two store timeouts. On the keeper's loop. What was granted stays usable: ids may be made until the loops stop.
    void stop();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace onceward::id
