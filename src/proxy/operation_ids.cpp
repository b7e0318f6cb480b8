#include "proxy/operation_ids.hpp"

#include "net/socket.hpp"
#include "onceward/base/clock.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

namespace onceward::proxy {

void OperationIds::set_grant(const id::WorkerGrant& grant, id::SequenceShare share) {
    if (!generator_) {
        generator_.emplace(share);
    }
    generator_->grant(grant);
    for (auto& waiter : waiters_) {
        waiter.granted.set();
    }
}

std::optional<OperationId> OperationIds::try_next() {
    if (!generator_) {
        return std::nullopt;
    }
    const auto next = generator_->next(base::wall_clock());
    const auto* id = std::get_if<OperationId>(&next);
    return id != nullptr ? std::optional(*id) : std::nullopt;
}

Task<std::optional<OperationId>> OperationIds::next(Deadline deadline) {
    if (!generator_) {
        // Just after the start: the store has been asked and will answer.
        Waiter waiter(loop_);
        waiters_.push_back(waiter);
        co_await waiter.granted.wait_until(deadlines_, deadline);
    }
    using Timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                    boost::asio::wait_traits<std::chrono::steady_clock>, net::Executor>;
    const auto give_up = std::chrono::steady_clock::now() + id::SnowflakeGenerator::patience;
    while (generator_) {
        const auto next = generator_->next(base::wall_clock());
        if (const auto* id = std::get_if<OperationId>(&next)) {
            co_return *id;
        }
        const auto* wait = std::get_if<id::WaitFor>(&next);
        if (wait == nullptr || std::chrono::steady_clock::now() > give_up) {
            break;
        }
        Timer timer(loop_.get_executor(), wait->time);
        co_await timer.async_wait(net::use_task);
    }
    co_return std::nullopt;
}

}  // namespace onceward::proxy
