#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/base/task.hpp"
#include "onceward/id/snowflake.hpp"

#include <boost/asio/io_context.hpp>

#include <optional>

namespace onceward::proxy {

/// Operation ids of one event loop. Before the process holds a worker id, and when the clock went back too far, there are none.
class OperationIds {
public:
    explicit OperationIds(boost::asio::io_context& loop) : loop_(loop) {}

    /// Called on the loop whenever the process's worker lease was taken or renewed.
    void set_grant(const id::WorkerGrant& grant, id::SequenceShare share);
    /// The next id at once, if there is one.
    std::optional<OperationId> try_next();
    /// The next id, waiting for the clock as long as spec section 5 allows; nothing: refuse.
    Task<std::optional<OperationId>> next();
    [[nodiscard]] bool ready() const { return generator_.has_value(); }

private:
    boost::asio::io_context& loop_;
    std::optional<id::SnowflakeGenerator> generator_;
};

}  // namespace onceward::proxy
