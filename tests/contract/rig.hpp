#pragma once

#include "record_builders.hpp"
#include "store_contract.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace onceward::contract {

/// Counts the changes that a loop was told of.
class ChangeCounter final : public store::ChangeSink {
public:
    void on_change(const RecordId& id) override;
    /// Waits until `id` was reported at least `count` times; false after ten seconds.
    bool wait_for(const RecordId& id, std::size_t count);
    std::size_t count(const RecordId& id);

private:
    std::mutex mutex_;
    std::condition_variable told_;
    std::map<RecordId, std::size_t> counts_;
};

/// Two processes of two loops each (one of four where the store is not shared), running; calls are made from the test's thread
/// and waited for. A call that does not end within ten seconds ends the test program.
class Rig {
public:
    static constexpr std::size_t loop_count = 4;
    /// What a call is given.
    static constexpr seconds patience{5};

    Rig();
    ~Rig();
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    Result<guard::ClaimReply> try_claim(const guard::ClaimRequest& request, std::size_t loop = 0, Deadline deadline = soon());
    Result<guard::CommandReply> try_apply(const guard::Command& command, std::size_t loop = 0, Deadline deadline = soon());
    Result<store::WorkerLease> lease_worker(const store::WorkerLeaseRequest& request, std::size_t loop = 0);
    Result<guard::OperatorReply> try_operate(const guard::OperatorCommand& command, std::size_t loop = 0);
    Result<std::optional<store::FoundRecord>> try_find(const store::RecordLookup& lookup, std::size_t loop = 0);
    Result<store::RecordPage> try_list(const store::RecordQuery& query, std::size_t loop = 0);
    Result<void> ping(std::size_t loop = 0);

    /// The same for calls that must not fail.
    guard::ClaimReply claim(const guard::ClaimRequest& request, std::size_t loop = 0);
    guard::CommandReply apply(const guard::Command& command, std::size_t loop = 0);
    guard::OperatorReply operate(const guard::OperatorCommand& command, std::size_t loop = 0);
    /// The record of `request` as it reads, with its content; nothing when absent.
    std::optional<guard::Record> find(const guard::ClaimRequest& request, std::size_t loop = 0);
    store::RecordPage list(const store::RecordQuery& query, std::size_t loop = 0);
    std::string replace_rules(const std::string& rules, std::size_t loop = 0);
    guard::PieceVerdict append(const guard::ContentPiece& piece, std::size_t loop = 0);
    std::string read_piece(const store::PieceLookup& lookup, std::size_t loop = 0);
    void discard(const store::PieceLookup& lookup, std::size_t loop = 0);
    /// All pages of a query: each record once, those that were on two pages counted in `repeated`.
    std::map<RecordId, store::ListedRecord> list_all(store::RecordQuery query, std::size_t* repeated = nullptr);
    /// A claim that must win.
    guard::Claim win(const guard::ClaimRequest& request, std::size_t loop = 0);
    /// A claim that must meet a record.
    guard::Existing meet(const guard::ClaimRequest& request, std::size_t loop = 0);
    /// All claims at once, each from its own coroutine, spread over the loops.
    std::vector<guard::ClaimReply> race(const std::vector<guard::ClaimRequest>& requests);
    /// The same for calls of all kinds.
    using Call = std::variant<guard::ClaimRequest, guard::Command, guard::OperatorCommand>;
    using Outcome = std::variant<guard::ClaimReply, guard::CommandReply, guard::OperatorReply>;
    std::vector<Outcome> race_calls(const std::vector<Call>& calls);

    void watch(const RecordId& id, std::size_t loop);
    void unwatch(const RecordId& id, std::size_t loop);
    ChangeCounter& changes(std::size_t loop) { return *counters_[loop]; }

    /// The store's clock as the store of `loop` estimates it.
    StoreTime now(std::size_t loop = 0);
    /// Returns once the store's clock is past `time`.
    void wait_past(StoreTime time);
    /// Asks again and again, a few milliseconds apart; false when `done` never held within ten seconds.
    bool eventually(const std::function<bool()>& done);
    /// Lets a moment pass between two looks.
    void pause();

    StoreUnderTest& kind() { return *kind_; }
    store::StoreInfo info();

    static Deadline soon() { return std::chrono::steady_clock::now() + patience; }
    /// A number that no other call of this program was given.
    std::uint64_t fresh() { return ++numbers_; }

private:
    using WorkGuard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

    std::unique_ptr<StoreUnderTest> kind_;
    std::vector<std::unique_ptr<boost::asio::io_context>> loops_;
    std::vector<std::unique_ptr<ChangeCounter>> counters_;
    std::vector<std::unique_ptr<store::Store>> stores_;
    std::vector<WorkGuard> guards_;
    std::vector<std::thread> threads_;
    std::uint64_t numbers_ = 0;
};

}  // namespace onceward::contract
