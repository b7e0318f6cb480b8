#pragma once

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace onceward::upstream {

/// The right to hold an upstream connection open: `upstream.max_connections` of them for the whole process, exact whatever the
/// number of loops. Shared between loops; the request path takes and gives with one atomic operation, and posts to another loop
/// only when that one is waiting.
class Permits {
public:
    explicit Permits(std::int64_t max) : max_(max), free_(max) {}
    Permits(const Permits&) = delete;
    Permits& operator=(const Permits&) = delete;

    /// Registers a loop before traffic starts. `on_free` runs on that loop when a permit may have come free while it waited;
    /// `on_shortage` when another loop waits and idle connections should be given up.
    std::size_t add_loop(boost::asio::io_context& loop, std::function<void()> on_free, std::function<void()> on_shortage);

    /// From one thread. Fewer than are taken: the first that are given back are not given out again.
    void set_max(std::int64_t max);
    /// More are taken than there are: connections that are idle should be given up.
    [[nodiscard]] bool exceeded() const { return free_.load() < 0; }

    [[nodiscard]] bool take();
    void give();

    /// Says how many requests of this loop wait. From none to some asks the other loops for their idle connections.
    void set_waiting(std::size_t loop, std::size_t count);
    /// Some other loop waits: an idle connection kept here would starve it.
    [[nodiscard]] bool wanted_elsewhere(std::size_t loop) const;

private:
    struct Loop {
        boost::asio::io_context* loop;
        std::function<void()> on_free;
        std::function<void()> on_shortage;
        std::atomic<std::size_t> waiting{0};
    };
    void wake_waiting();

    std::int64_t max_;
    std::atomic<std::int64_t> free_;
    std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace onceward::upstream
