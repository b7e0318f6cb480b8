#pragma once

#include "onceward/store/store.hpp"
#include "store/redis/clock_estimate.hpp"
#include "store/redis/command.hpp"
#include "store/redis/connection.hpp"

#include <optional>

/// @file
/// What an operator asks of the store: `Store::operate`, `find` and `list`.

namespace onceward::store::redis {

/// Where a call goes. All of it outlives the call.
struct Server {
    Connection& connection;
    const Keyspace& keys;
    ClockEstimate& clock;
};

Task<Result<guard::OperatorReply>> operate(Server server, const guard::OperatorCommand& command, Deadline deadline);
Task<Result<std::optional<FoundRecord>>> find(Server server, const RecordLookup& lookup, Deadline deadline);
Task<Result<RecordPage>> list(Server server, const RecordQuery& query, Deadline deadline);

}  // namespace onceward::store::redis
