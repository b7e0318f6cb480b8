#pragma once

#include "loops.hpp"
#include "onceward/store/store.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <random>

namespace onceward::test {

/// Counts without a lock: a sink is told on its own loop's thread, or a race is found.
class CountingSink final : public store::ChangeSink {
public:
    void on_change(const RecordId& /*id*/) override { ++count_; }
    [[nodiscard]] std::uint64_t count() const { return count_; }

private:
    std::uint64_t count_ = 0;
};

/// Many coroutines on several loops that claim, renew, settle and watch the same few records, and watch that none of them has two
/// holders.
class StoreTraffic {
public:
    static constexpr std::size_t tasks_a_loop = 4;

    explicit StoreTraffic(int rounds) : rounds_(rounds) {}

    /// Starts the tasks of one loop. Before or while the loops run.
    void start(boost::asio::io_context& loop, store::Store& store, std::size_t loop_index);
    /// Once, when all is started: waits for it; false when they have not ended in time.
    bool wait();

    [[nodiscard]] std::uint64_t claims() const { return claims_; }
    /// Claims that won while another held the record.
    [[nodiscard]] std::uint64_t doubled() const { return doubled_; }
    /// Calls that the store did not answer, and answers that it must not give.
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

private:
    static constexpr std::size_t record_count = 8;

    Task<> drive(store::Store& store, std::uint64_t seed);
    Task<> settle(store::Store& store, const guard::ClaimRequest& request, const guard::Claim& claim, guard::Action action);
    guard::Action choose_action(std::mt19937_64& random);
    void end_one();

    int rounds_;
    std::array<std::atomic<int>, record_count> holders_{};
    std::atomic<std::uint64_t> owners_{0};
    std::atomic<std::uint64_t> claims_{0};
    std::atomic<std::uint64_t> doubled_{0};
    std::atomic<std::uint64_t> wrong_{0};
    std::atomic<std::size_t> open_{1};  ///< tasks, and whoever starts them
    std::promise<void> all_ended_;
};

}  // namespace onceward::test
