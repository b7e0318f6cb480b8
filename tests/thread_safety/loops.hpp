#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace onceward::test {

/// Event loops of one process, each on a thread of its own.
class Loops {
public:
    explicit Loops(std::size_t count);
    /// Stops them where they stand.
    ~Loops();
    Loops(const Loops&) = delete;
    Loops& operator=(const Loops&) = delete;

    boost::asio::io_context& operator[](std::size_t index) { return *loops_[index]; }
    [[nodiscard]] std::size_t size() const { return loops_.size(); }

    void run();
    /// Lets each of them go once it has nothing to do any more. Until then it serves the others.
    void finish();
    void stop();

private:
    using WorkGuard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

    void join();

    std::vector<std::unique_ptr<boost::asio::io_context>> loops_;
    std::vector<WorkGuard> guards_;
    std::vector<std::thread> threads_;
};

/// Runs `work(0)` to `work(count - 1)`, each on a thread of its own, let go together; back when all have ended.
void on_threads(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace onceward::test
