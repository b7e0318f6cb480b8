#include "onceward/store/memory_store.hpp"

#include "net/spawn.hpp"
#include "onceward/base/assert.hpp"
#include "onceward/base/clock.hpp"
#include "onceward/crypto/random.hpp"
#include "store/memory/list_cursor.hpp"
#include "store/memory/memory_shard.hpp"
#include "store/record_filter.hpp"
#include "store/worker_table.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace onceward::store {

namespace asio = boost::asio;

namespace {

using Executor = asio::io_context::executor_type;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;

constexpr seconds sweep_interval{1};
/// Dead records dropped before the loop gets its turn back.
constexpr std::size_t sweep_limit = 1'024;

/// The wall clock of the process's start, moved on by the monotonic clock: it never goes back and never jumps.
class MemoryClock {
public:
    [[nodiscard]] StoreTime now() const { return wall_ + std::chrono::duration_cast<microseconds>(SteadyClock::now() - steady_); }

private:
    SteadyClock::time_point steady_ = SteadyClock::now();
    StoreTime wall_ = base::wall_clock();
};

/// Worker ids of one process: nobody shares them, so it only matters that two processes are unlikely to take the same.
class WorkerTable {
public:
    Result<WorkerLease> lease(const WorkerLeaseRequest& request, StoreTime now) {
        if (request.wanted >= worker_count) {
            return make_error_code(StoreErrc::rejected);
        }
        if (request.wanted >= 0) {
            return take(request.wanted, request, now);
        }
        for (const auto& [id, row] : rows_) {
            if (row.owner == request.owner) {
                return take(id, request, now);
            }
        }
        for (int offset = 0; offset < worker_count; ++offset) {
            auto taken = take((first_ + offset) % worker_count, request, now);
            if (taken) {
                return taken;
            }
        }
        return make_error_code(StoreErrc::rejected);
    }

private:
    static int random_id() {
        std::array<std::uint8_t, 2> bytes{};
        crypto::random_bytes(bytes);
        return (bytes[0] * 256 + bytes[1]) % worker_count;
    }

    Result<WorkerLease> take(int id, const WorkerLeaseRequest& request, StoreTime now) {
        const auto row = rows_.find(id);
        const auto step = lease_worker_row(id, row == rows_.end() ? std::nullopt : std::optional{row->second}, request, now);
        if (!step) {
            return make_error_code(StoreErrc::rejected);
        }
        rows_.insert_or_assign(id, step->write);
        return step->reply;
    }

    std::map<int, WorkerRow> rows_;
    int first_ = random_id();
};

/// What one event loop owns. Touched by its thread alone.
struct LoopShard {
    LoopShard(const MemoryLoop& user, std::uint64_t capacity_bytes)
        : loop(*user.loop), changes(user.changes), records(capacity_bytes), timer(*user.loop) {}

    asio::io_context& loop;
    ChangeSink* changes;
    MemoryShard records;
    WorkerTable workers;                                   ///< of the first loop alone
    std::map<RecordId, std::vector<LoopShard*>> watchers;  ///< loops that watch a record of this shard
    std::map<RecordId, std::size_t> watched;               ///< records of any shard that this loop watches, counted
    Timer timer;
    bool sweeping = false;
};

}  // namespace

struct MemoryBackend::Impl {
    MemoryClock clock;
    std::vector<std::unique_ptr<LoopShard>> shards;

    LoopShard& shard_of(const RecordId& id) {
        // Other bytes than those that the shard's own map hashes by.
        std::uint64_t number = 0;
        std::memcpy(&number, id.bytes.data() + 8, sizeof number);
        return *shards[number % shards.size()];
    }
};

MemoryBackend::MemoryBackend(std::vector<MemoryLoop> loops, std::uint64_t capacity_bytes) : impl_(std::make_unique<Impl>()) {
    ONCEWARD_ASSERT(!loops.empty());
    for (const auto& loop : loops) {
        impl_->shards.push_back(std::make_unique<LoopShard>(loop, capacity_bytes / loops.size()));
    }
}

MemoryBackend::~MemoryBackend() = default;

RecordCounts MemoryBackend::record_counts() const {
    RecordCounts sum{};
    for (const auto& shard : impl_->shards) {
        const auto counts = shard->records.counts();
        std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>{});
    }
    return sum;
}

namespace {

/// Runs `step` on the loop `there` and returns to the loop `home`.
template <typename Step>
Task<void> run_on(asio::io_context& there, asio::io_context& home, Step& step) {
    co_await suspend([&there, &home, &step](Suspension caller) {
        asio::post(there, [&home, &step, back = std::move(caller)]() mutable {
            step();
            net::post_resume(home, std::move(back));
        });
    });
}

void sweep(const MemoryClock& clock, LoopShard& shard);

void arm_sweep(const MemoryClock& clock, LoopShard& shard, SteadyClock::duration delay) {
    shard.sweeping = true;
    shard.timer.expires_after(delay);
    shard.timer.async_wait([&clock, &shard](const boost::system::error_code& ec) {
        if (!ec) {
            sweep(clock, shard);
        }
    });
}

void sweep(const MemoryClock& clock, LoopShard& shard) {
    shard.sweeping = false;
    const bool more = shard.records.sweep(clock.now(), sweep_limit);
    if (!shard.records.empty()) {
        arm_sweep(clock, shard, more ? SteadyClock::duration{0} : sweep_interval);
    }
}

void tell_watchers(LoopShard& shard, const RecordId& id) {
    const auto watchers = shard.watchers.find(id);
    if (watchers == shard.watchers.end()) {
        return;
    }
    for (auto* const watcher : watchers->second) {
        // From the loop and never from inside the call that made the change.
        asio::post(watcher->loop, [watcher, id] {
            if (watcher->watched.contains(id) && watcher->changes != nullptr) {
                watcher->changes->on_change(id);
            }
        });
    }
}

class MemoryStore final : public Store {
public:
    MemoryStore(MemoryBackend::Impl& backend, std::size_t loop_index) : backend_(backend), own_(*backend.shards[loop_index]) {}

    Task<Result<guard::ClaimReply>> claim(const guard::ClaimRequest& request, Deadline deadline) override {
        auto& shard = backend_.shard_of(request.id);
        Result<MemoryShard::Claimed> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                result = shard.records.claim(request, backend_.clock.now());
                finish(shard, request.id, result ? result->change : ShardChange::none);
            }
        };
        if (&shard == &own_) {
            step();
        } else {
            co_await run_on(shard.loop, own_.loop, step);
        }
        if (!result) {
            co_return result.error();
        }
        co_return std::move(result->reply);
    }

    Task<Result<guard::CommandReply>> apply(const guard::Command& command, Deadline deadline) override {
        auto& shard = backend_.shard_of(command.id);
        Result<guard::CommandReply> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                const auto applied = shard.records.apply(command, backend_.clock.now());
                result = applied.reply;
                finish(shard, command.id, applied.change);
            }
        };
        if (&shard == &own_) {
            step();
        } else {
            co_await run_on(shard.loop, own_.loop, step);
        }
        co_return result;
    }

    Task<Result<guard::PieceVerdict>> append(const guard::ContentPiece& piece, Deadline deadline) override {
        auto& shard = backend_.shard_of(piece.of.id);
        Result<guard::PieceVerdict> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                result = shard.records.append(piece, backend_.clock.now());
                finish(shard, piece.of.id, ShardChange::none);
            }
        };
        co_await run_on(shard.loop, own_.loop, step);
        co_return result;
    }

    Task<Result<std::string>> read_piece(const PieceLookup& lookup, Deadline deadline) override {
        auto& shard = backend_.shard_of(lookup.of.id);
        Result<std::string> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                result = shard.records.read_piece(lookup.of, lookup.index, backend_.clock.now());
            }
        };
        co_await run_on(shard.loop, own_.loop, step);
        co_return result;
    }

    Task<Result<void>> discard(const PieceLookup& lookup, Deadline /*deadline*/) override {
        auto& shard = backend_.shard_of(lookup.of.id);
        auto step = [&] { shard.records.discard(lookup.of); };
        co_await run_on(shard.loop, own_.loop, step);
        co_return Result<void>{};
    }

    Task<Result<guard::OperatorReply>> operate(const guard::OperatorCommand& command, Deadline deadline) override {
        auto& shard = backend_.shard_of(command.id);
        Result<guard::OperatorReply> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                auto operated = shard.records.operate(command, backend_.clock.now());
                result = std::move(operated.reply);
                finish(shard, command.id, operated.change);
            }
        };
        co_await run_on(shard.loop, own_.loop, step);
        co_return result;
    }

    Task<Result<std::optional<FoundRecord>>> find(const RecordLookup& lookup, Deadline deadline) override {
        auto& shard = backend_.shard_of(lookup.id);
        Result<std::optional<FoundRecord>> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                result = shard.records.find(lookup.id, lookup.detail, backend_.clock.now());
            }
        };
        co_await run_on(shard.loop, own_.loop, step);
        co_return result;
    }

    /// Goes through the shards in turns, each of which is posted: other calls come between.
    Task<Result<RecordPage>> list(const RecordQuery& query, Deadline deadline) override {
        auto cursor = parse_list_cursor(query.cursor, backend_.shards.size());
        if (!cursor) {
            co_return make_error_code(StoreErrc::bad_cursor);
        }
        RecordPage page;
        const auto end = std::min(deadline, SteadyClock::now() + list_patience);
        while (cursor->shard < backend_.shards.size() && page.records.size() < query.limit && SteadyClock::now() < end) {
            auto& shard = *backend_.shards[cursor->shard];
            bool more = true;
            auto step = [&] { more = shard.records.list(query, backend_.clock.now(), cursor->place, page.records); };
            co_await run_on(shard.loop, own_.loop, step);
            if (!more) {
                *cursor = {cursor->shard + 1, {}};
            }
        }
        if (cursor->shard < backend_.shards.size()) {
            page.next_cursor = to_text(*cursor);
        }
        co_return page;
    }

    Task<Result<void>> ping(Deadline /*deadline*/) override { co_return Result<void>{}; }

    Task<Result<WorkerLease>> lease_worker(const WorkerLeaseRequest& request, Deadline deadline) override {
        auto& shard = *backend_.shards.front();
        Result<WorkerLease> result = make_error_code(StoreErrc::timed_out);
        auto step = [&] {
            if (SteadyClock::now() < deadline) {
                result = shard.workers.lease(request, backend_.clock.now());
            }
        };
        if (&shard == &own_) {
            step();
        } else {
            co_await run_on(shard.loop, own_.loop, step);
        }
        co_return result;
    }

    Task<Result<std::string>> replace_rules(const std::string& /*rules*/, Deadline /*deadline*/) override {
        co_return std::string{};
    }

    [[nodiscard]] StoreTime now() const override { return backend_.clock.now(); }
    [[nodiscard]] StoreInfo info() const override { return {"memory", false, false}; }

    void watch(const RecordId& id) override {
        if (++own_.watched[id] > 1) {
            return;
        }
        on_shard_of(id, [id, watcher = &own_](LoopShard& shard) { shard.watchers[id].push_back(watcher); });
    }

    void unwatch(const RecordId& id) override {
        const auto count = own_.watched.find(id);
        if (count == own_.watched.end() || --count->second > 0) {
            return;
        }
        own_.watched.erase(count);
        on_shard_of(id, [id, watcher = &own_](LoopShard& shard) {
            auto& watchers = shard.watchers[id];
            watchers.erase(std::remove(watchers.begin(), watchers.end(), watcher), watchers.end());
            if (watchers.empty()) {
                shard.watchers.erase(id);
            }
        });
    }

private:
    /// Runs on the shard's loop.
    void finish(LoopShard& shard, const RecordId& id, ShardChange change) {
        if (change == ShardChange::left_processing) {
            tell_watchers(shard, id);
        }
        if (!shard.sweeping && !shard.records.empty()) {
            arm_sweep(backend_.clock, shard, sweep_interval);
        }
    }

    /// In the order of this loop's calls: a claim that follows a `watch` meets the record after it is watched.
    template <typename Step>
    void on_shard_of(const RecordId& id, Step step) {
        auto& shard = backend_.shard_of(id);
        if (&shard == &own_) {
            step(shard);
        } else {
            asio::post(shard.loop, [&shard, step = std::move(step)] { step(shard); });
        }
    }

    MemoryBackend::Impl& backend_;
    LoopShard& own_;
};

}  // namespace

std::unique_ptr<Store> make_memory_store(MemoryBackend& backend, std::size_t loop_index) {
    ONCEWARD_ASSERT(loop_index < backend.impl().shards.size());
    return std::make_unique<MemoryStore>(backend.impl(), loop_index);
}

}  // namespace onceward::store
