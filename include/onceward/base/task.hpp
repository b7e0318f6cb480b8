#pragma once

#include "onceward/base/frame_pool.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace onceward {

class Suspension;
template <typename T>
class Task;

namespace detail {

/// What every coroutine of an event loop has in common. One thread, the loop's, runs a chain of them.
class PromiseBase {
public:
    static void* operator new(std::size_t size) { return base::take_frame(size); }
    static void operator delete(void* frame, std::size_t size) noexcept { base::free_frame(frame, size); }

    PromiseBase() = default;
    PromiseBase(const PromiseBase&) = delete;
    PromiseBase& operator=(const PromiseBase&) = delete;

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }

protected:
    ~PromiseBase() = default;

    void is_of(std::coroutine_handle<> self) noexcept { self_ = self; }
    /// Of a coroutine that has not begun.
    [[nodiscard]] Suspension begin() noexcept;
    /// Who goes on when this one has ended.
    [[nodiscard]] std::coroutine_handle<> successor() const noexcept {
        return is_awaited_ ? awaiter_->self_ : std::noop_coroutine();
    }

private:
    friend class onceward::Suspension;
    template <typename T>
    friend class onceward::Task;
    template <typename Start>
    friend class SuspendAwaiter;

    enum class State : unsigned char { running, starting, suspended, resumed, dropped };

    void resume();
    void drop() noexcept;
    /// Whether the coroutine stays suspended now that what it waits for was started.
    bool has_started();

    std::coroutine_handle<> self_;
    PromiseBase* awaiter_ = nullptr;
    bool is_awaited_ = false;
    State state_ = State::running;
};

}  // namespace detail

/// A coroutine that waits for something, and with it all that wait for it. Must be resumed on the loop's thread; dropped without,
/// it ends the whole chain: the frames are destroyed where they stand.
class [[nodiscard]] Suspension {
public:
    Suspension() = default;
    explicit Suspension(detail::PromiseBase& promise) noexcept : promise_(&promise) {}
    Suspension(Suspension&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {}
    Suspension& operator=(Suspension&& other) noexcept {
        std::swap(promise_, other.promise_);
        return *this;
    }
    ~Suspension() {
        if (promise_ != nullptr) {
            std::exchange(promise_, nullptr)->drop();
        }
    }

    explicit operator bool() const noexcept { return promise_ != nullptr; }
    /// Goes on with the coroutine, until it waits again or ends. May end the object that this lives in.
    void resume() { std::exchange(promise_, nullptr)->resume(); }

private:
    detail::PromiseBase* promise_ = nullptr;
};

/// Thrown into a coroutine when what it began to wait for let it go at once.
struct Abandoned : std::runtime_error {
    Abandoned();
};

namespace detail {

inline Suspension PromiseBase::begin() noexcept {
    state_ = State::suspended;
    return Suspension(*this);
}

template <typename Start>
class SuspendAwaiter {
public:
    explicit SuspendAwaiter(Start start) : start_(std::move(start)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
        PromiseBase& promise = handle.promise();
        promise.state_ = PromiseBase::State::starting;
        start_(Suspension(promise));
        return promise.has_started();
    }
    void await_resume() const noexcept {}

private:
    Start start_;
};

class TaskPromiseBase : public PromiseBase {
public:
    struct FinalAwaiter {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) const noexcept {
            return handle.promise().successor();
        }
        void await_resume() const noexcept {}
    };
    using PromiseBase::successor;

    [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { escaped_ = std::current_exception(); }

protected:
    ~TaskPromiseBase() = default;
    void rethrow() const {
        if (escaped_) {
            std::rethrow_exception(escaped_);
        }
    }

private:
    std::exception_ptr escaped_;
};

template <typename T>
class Promise final : public TaskPromiseBase {
public:
    Task<T> get_return_object() noexcept;
    template <typename U = T>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    T result() {
        rethrow();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <>
class Promise<void> final : public TaskPromiseBase {
public:
    Task<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void result() const { rethrow(); }
};

}  // namespace detail

/// Waits in the middle of a coroutine: `start` takes its Suspension and keeps it where it will be resumed. Resumed already inside
/// of `start`, the coroutine goes on at once.
template <typename Start>
[[nodiscard]] auto suspend(Start start) {
    return detail::SuspendAwaiter<Start>(std::move(start));
}

/// What a coroutine of an event loop returns; it begins when it is awaited. Own, and not Asio's `awaitable`, because that costs
/// an Asio operation a frame of its own and a look through the thread's free memory for each frame: half of what a request takes
/// outside of the system's calls.
template <typename T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::Promise<T>;

    Task() = default;
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~Task() { destroy(); }

    struct Awaiter {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        /// A child that needs not wait runs inside of this call, and the caller goes on below it: no stack piles up where the
        /// compiler does not turn a transfer into a jump.
        template <typename Promise>
        bool await_suspend(std::coroutine_handle<Promise> awaiter) const {
            detail::PromiseBase& child = handle.promise();
            child.awaiter_ = &awaiter.promise();
            handle.resume();
            if (handle.done()) {
                return false;
            }
            child.is_awaited_ = true;
            return true;
        }
        T await_resume() const { return handle.promise().result(); }

        std::coroutine_handle<promise_type> handle;
    };
    Awaiter operator co_await() const noexcept { return Awaiter{handle_}; }

private:
    friend promise_type;
    explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
    void destroy() noexcept {
        if (handle_) {
            std::exchange(handle_, nullptr).destroy();
        }
    }

    std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <typename T>
Task<T> Promise<T>::get_return_object() noexcept {
    const auto self = std::coroutine_handle<Promise>::from_promise(*this);
    is_of(self);
    return Task<T>(self);
}
inline Task<void> Promise<void>::get_return_object() noexcept {
    const auto self = std::coroutine_handle<Promise>::from_promise(*this);
    is_of(self);
    return Task<void>(self);
}

}  // namespace detail

}  // namespace onceward
