#pragma once

#include "net/event.hpp"
#include "onceward/base/tagged.hpp"
#include "onceward/base/task.hpp"
#include "onceward/id/snowflake.hpp"

#include <boost/asio/io_context.hpp>

#include <optional>

namespace onceward::proxy {

/// Operation ids of one event loop. Before the process holds a worker id, and when the clock went back too far, there are none.
class OperationIds {
public:
    OperationIds(boost::asio::io_context& loop, net::Deadlines& deadlines) : loop_(loop), deadlines_(deadlines) {}

    /// Called on the loop whenever the process's worker lease was taken or renewed.
    void set_grant(const id::WorkerGrant& grant, id::SequenceShare share);
    /// The next id at once, if there is one.
    std::optional<OperationId> try_next();
    /// The next id, waiting for the clock as long as spec section 5 allows, and until `deadline` for a worker id that the process
    /// has yet to get; nothing: refuse.
    Task<std::optional<OperationId>> next(Deadline deadline);

private:
    struct Waiter : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Waiter(boost::asio::io_context& loop) : granted(loop) {}
        net::Event granted;
    };

    boost::asio::io_context& loop_;
    net::Deadlines& deadlines_;
    boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;  ///< for the first grant
    std::optional<id::SnowflakeGenerator> generator_;
};

}  // namespace onceward::proxy
