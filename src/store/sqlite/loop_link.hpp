#pragma once

#include "onceward/store/sqlite_store.hpp"
#include "store/sqlite/inbox.hpp"
#include "store/sqlite/operation.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace onceward::store::sqlite {

/// One event loop's side of the store: its operations, their deadlines, and what it watches. All but `deliver` and `watches` is
/// called on the loop's thread alone.
class LoopLink {
public:
    /// Operations of a loop that are not yet back from the writer; a further one fails at once.
    static constexpr std::size_t outstanding_max = 4'096;

    LoopLink(const SqliteLoop& loop, Inbox& inbox);
    LoopLink(const LoopLink&) = delete;
    LoopLink& operator=(const LoopLink&) = delete;

    /// A blank operation; null when too many are outstanding.
    Operation* begin(OperationKind kind, Deadline deadline);
    /// Queues it and waits. After `timed_out` the caller must not touch it: it may still be with the writer.
    Task<Ending> run(Operation& operation);
    /// Gives an answered operation back.
    void release(Operation& operation);

    void watch(const RecordId& id);
    void unwatch(const RecordId& id);

    /// Any thread. May miss a watch that the loop begins just now.
    [[nodiscard]] bool watches() const { return watched_count_.load(std::memory_order_relaxed) != 0; }
    /// The writer's thread: hands over a list of operations (by `next`) that are through, and ids of records that changed.
    void deliver(Operation* list, std::vector<RecordId> changed);

private:
    using Timer =
        boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                          boost::asio::io_context::executor_type>;

    void submit(Operation& operation, Suspension waiter);
    void take_back(Operation* list);
    void end(Operation& operation, Ending ending);
    void arm();
    void sweep();

    boost::asio::io_context& context_;
    ChangeSink& sink_;
    Inbox& inbox_;

    std::vector<std::unique_ptr<Operation>> operations_;  ///< every operation of this loop
    std::vector<Operation*> free_;
    boost::intrusive::list<Operation> waiting_;  ///< those with a waiter, by deadline
    Timer timer_;
    Deadline armed_ = Deadline::max();

    std::map<RecordId, std::size_t> watched_;
    std::atomic<std::size_t> watched_count_ = 0;
};

}  // namespace onceward::store::sqlite
