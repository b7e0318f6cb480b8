#pragma once

#include "onceward/base/task.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <optional>
#include <type_traits>

namespace onceward::net {

/// Goes on with a coroutine from the loop, not from inside of this call. Any thread.
void post_resume(boost::asio::io_context& loop, Suspension caller);

namespace detail {

/// The coroutine at the bottom, which nobody waits for.
struct Root {
    struct promise_type : onceward::detail::PromiseBase {
        Root get_return_object() noexcept {
            is_of(std::coroutine_handle<promise_type>::from_promise(*this));
            return Root{begin()};
        }
        [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    };
    Suspension begin;
};

using WorkGuard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

/// Has it come out of the loop's `run`.
void throw_from(boost::asio::io_context& loop, std::exception_ptr exception);

template <typename Completion, typename... Results>
void complete(boost::asio::io_context& loop, Completion& completion, Results... results) {
    try {
        completion(std::move(results)...);
    } catch (...) {
        throw_from(loop, std::current_exception());
    }
}

template <typename T, typename Completion>
Root run(WorkGuard work, Task<T> task, Completion completion) {
    std::exception_ptr escaped;
    if constexpr (std::is_void_v<T>) {
        try {
            co_await task;
        } catch (...) {
            escaped = std::current_exception();
        }
        task = {};
        complete(work.get_executor().context(), completion, escaped);
    } else {
        std::optional<T> result;
        try {
            auto value = co_await task;
            result.emplace(std::move(value));
        } catch (...) {
            escaped = std::current_exception();
        }
        task = {};
        complete(work.get_executor().context(), completion, escaped, std::move(result));
    }
}

}  // namespace detail

/// Starts a coroutine of `loop` that nobody waits for; it begins from the loop, and the loop does not run out of work before it
/// has ended. Any thread. Then `completion` is called on the loop, with the exception that escaped, if any, and the result, if
/// there is one (`std::optional<T>`); what it throws comes out of the loop's `run`. Not called when the loop is destroyed before.
template <typename T, typename Completion>
void spawn(boost::asio::io_context& loop, Task<T> task, Completion completion) {
    auto root = detail::run(boost::asio::make_work_guard(loop), std::move(task), std::move(completion));
    post_resume(loop, std::move(root.begin));
}

/// The same for a coroutine that no exception leaves: one that does all the same comes out of the loop's `run`.
void spawn(boost::asio::io_context& loop, Task<void> task);

}  // namespace onceward::net
