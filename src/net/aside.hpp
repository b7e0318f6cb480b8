#pragma once

#include "net/event.hpp"

#include <boost/asio/post.hpp>

#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace onceward::net {

/// Runs `work` on a thread of its own and gives its result on the loop: for what would keep requests waiting. Where no thread can
/// be had it runs at once. An exception of `work` comes out here. The loop must not end before.
template <typename Work>
auto aside(boost::asio::io_context& loop, Work work) -> Task<decltype(work())> {
    std::optional<decltype(work())> result;
    std::exception_ptr escaped;
    Event done(loop);
    const auto run = [&] {
        try {
            result.emplace(work());
        } catch (...) {
            escaped = std::current_exception();
        }
    };
    std::jthread thread;
    try {
        thread = std::jthread([&] {
            run();
            boost::asio::post(loop.get_executor(), [&done] { done.set(); });
        });
    } catch (const std::system_error&) {
        run();
        done.set();
    }
    co_await done.wait();
    done.take();
    if (thread.joinable()) {
        thread.join();
    }
    if (escaped) {
        std::rethrow_exception(escaped);
    }
    co_return std::move(*result);
}

}  // namespace onceward::net
