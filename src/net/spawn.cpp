#include "net/spawn.hpp"

namespace onceward::net {

namespace {

struct Resume {
    using allocator_type = base::FrameAllocator<std::byte>;

    Suspension caller;

    void operator()() { caller.resume(); }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return {}; }
};

}  // namespace

namespace detail {

void throw_from(boost::asio::io_context& loop, std::exception_ptr exception) {
    boost::asio::post(loop.get_executor(), [thrown = std::move(exception)] { std::rethrow_exception(thrown); });
}

}  // namespace detail

void post_resume(boost::asio::io_context& loop, Suspension caller) {
    boost::asio::post(loop.get_executor(), Resume{std::move(caller)});
}

void spawn(boost::asio::io_context& loop, Task<void> task) {
    spawn(loop, std::move(task), [](const std::exception_ptr& escaped) {
        if (escaped) {
            std::rethrow_exception(escaped);
        }
    });
}

}  // namespace onceward::net
