#include "store/sqlite/loop_link.hpp"

#include "onceward/base/assert.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace onceward::store::sqlite {

namespace {

/// A request or answer with a larger body gives its memory back when it is through.
constexpr std::size_t kept_bytes = 16 * 1024;

void drop_large_content(Operation& operation) {
    // The reply was moved out, or nobody wants it.
    operation.claim_reply = guard::Late{};
    operation.operator_call.reset();
    if (const auto* complete = std::get_if<guard::Complete>(&operation.command.action)) {
        if (complete->response.body.capacity() > kept_bytes) {
            operation.command.action = guard::Renew{};
        }
    }
}

}  // namespace

LoopLink::LoopLink(const SqliteLoop& loop, Inbox& inbox)
    : context_(loop.context), sink_(loop.sink), inbox_(inbox), timer_(loop.context.get_executor()) {}

Operation* LoopLink::begin(OperationKind kind, Deadline deadline) {
    if (free_.empty()) {
        if (operations_.size() == outstanding_max) {
            return nullptr;
        }
        operations_.push_back(std::make_unique<Operation>(*this));
        free_.push_back(operations_.back().get());
    }
    auto& operation = *free_.back();
    free_.pop_back();
    operation.kind = kind;
    operation.deadline = deadline;
    operation.error.clear();
    operation.settled = false;
    operation.progress.store(Progress::queued, std::memory_order_relaxed);
    return &operation;
}

void LoopLink::release(Operation& operation) {
    drop_large_content(operation);
    free_.push_back(&operation);
}

Task<Ending> LoopLink::run(Operation& operation) {
    co_await suspend([this, &operation](Suspension waiter) { submit(operation, std::move(waiter)); });
    co_return operation.ending;
}

void LoopLink::submit(Operation& operation, Suspension waiter) {
    operation.waiter = std::move(waiter);
    // By deadline; callers mostly have the same time limit, so the place is at the end.
    auto place = waiting_.end();
    while (place != waiting_.begin() && std::prev(place)->deadline > operation.deadline) {
        --place;
    }
    waiting_.insert(place, operation);
    arm();
    inbox_.push(operation);
}

void LoopLink::deliver(Operation* list, std::vector<RecordId> changed) {
    boost::asio::post(context_.get_executor(), [this, list, ids = std::move(changed)] {
        for (const auto& id : ids) {
            if (watched_.contains(id)) {
                sink_.on_change(id);
            }
        }
        take_back(list);
    });
}

void LoopLink::take_back(Operation* list) {
    while (list != nullptr) {
        // A resumed caller may use the operation again before this returns.
        auto& operation = *std::exchange(list, list->next);
        if (operation.waiter) {
            end(operation, Ending::answered);
        } else {
            release(operation);
        }
    }
    if (waiting_.empty() && armed_ != Deadline::max()) {
        armed_ = Deadline::max();
        timer_.cancel();
    }
}

void LoopLink::end(Operation& operation, Ending ending) {
    waiting_.erase(waiting_.iterator_to(operation));
    operation.ending = ending;
    auto waiter = std::move(operation.waiter);
    waiter.resume();
}

void LoopLink::arm() {
    if (waiting_.empty() || waiting_.front().deadline >= armed_) {
        return;
    }
    armed_ = waiting_.front().deadline;
    timer_.expires_at(armed_);
    timer_.async_wait([this](boost::system::error_code ec) {
        if (!ec) {
            sweep();
        }
    });
}

void LoopLink::sweep() {
    const auto now = std::chrono::steady_clock::now();
    armed_ = Deadline::max();
    while (!waiting_.empty() && waiting_.front().deadline <= now) {
        auto& operation = waiting_.front();
        auto expected = Progress::queued;
        operation.progress.compare_exchange_strong(expected, Progress::abandoned, std::memory_order_acq_rel);
        end(operation, Ending::timed_out);
    }
    arm();
}

void LoopLink::watch(const RecordId& id) {
    ++watched_[id];
    watched_count_.store(watched_.size(), std::memory_order_relaxed);
}

void LoopLink::unwatch(const RecordId& id) {
    const auto place = watched_.find(id);
    ONCEWARD_ASSERT(place != watched_.end());
    if (--place->second == 0) {
        watched_.erase(place);
    }
    watched_count_.store(watched_.size(), std::memory_order_relaxed);
}

}  // namespace onceward::store::sqlite
