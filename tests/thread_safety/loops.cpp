#include "loops.hpp"

#include <latch>

namespace onceward::test {

Loops::Loops(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        loops_.push_back(std::make_unique<boost::asio::io_context>(1));
        guards_.push_back(boost::asio::make_work_guard(*loops_.back()));
    }
}

Loops::~Loops() {
    stop();
}

void Loops::run() {
    for (auto& loop : loops_) {
        threads_.emplace_back([&loop = *loop] { loop.run(); });
    }
}

void Loops::finish() {
    guards_.clear();
    join();
}

void Loops::stop() {
    for (auto& loop : loops_) {
        loop->stop();
    }
    join();
}

void Loops::join() {
    for (auto& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

void on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::latch start(static_cast<std::ptrdiff_t>(count));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([&start, &work, i] {
            start.arrive_and_wait();
            work(i);
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

}  // namespace onceward::test
