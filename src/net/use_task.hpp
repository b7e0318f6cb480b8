#pragma once

#include "onceward/base/task.hpp"

#include <boost/asio/async_result.hpp>

#include <optional>
#include <tuple>

namespace onceward::net {

/// Completion token of Asio's operations: `co_await` gives what the operation completed with, as a tuple, in a coroutine that is
/// a `Task`. Errors are values.
struct UseTask {};
inline constexpr UseTask use_task;

/// Completion handler that goes on with the coroutine. Its operation's memory comes from the frame pool.
template <typename... Results>
class TaskHandler {
public:
    using allocator_type = base::FrameAllocator<std::byte>;
    using Slot = std::optional<std::tuple<Results...>>;

    TaskHandler(Suspension caller, Slot& results) noexcept : caller_(std::move(caller)), results_(&results) {}

    void operator()(Results... results) {
        results_->emplace(std::move(results)...);
        auto caller = std::move(caller_);
        caller.resume();
    }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return {}; }

private:
    Suspension caller_;
    Slot* results_;
};

/// An operation that begins once it is awaited.
template <typename Initiation, typename Arguments, typename... Results>
class OperationAwaiter {
public:
    OperationAwaiter(Initiation initiation, Arguments arguments)
        : initiation_(std::move(initiation)), arguments_(std::move(arguments)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
        return suspend([this](Suspension caller) {
                   std::apply(
                       [&](auto&... arguments) {
                           std::move(initiation_)(TaskHandler<Results...>(std::move(caller), results_), std::move(arguments)...);
                       },
                       arguments_);
               })
            .await_suspend(handle);
    }
    std::tuple<Results...> await_resume() { return std::move(*results_); }

private:
    Initiation initiation_;
    Arguments arguments_;
    typename TaskHandler<Results...>::Slot results_;
};

}  // namespace onceward::net

template <typename... Results>
struct boost::asio::async_result<onceward::net::UseTask, void(Results...)> {
    template <typename Initiation, typename... Arguments>
    static auto initiate(Initiation&& initiation, onceward::net::UseTask /*token*/, Arguments&&... arguments) {
        using Kept = std::tuple<std::decay_t<Arguments>...>;
        return onceward::net::OperationAwaiter<std::decay_t<Initiation>, Kept, std::decay_t<Results>...>(
            std::forward<Initiation>(initiation), Kept(std::forward<Arguments>(arguments)...));
    }
};
