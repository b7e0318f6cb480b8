#include "rig.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>

namespace onceward::contract {

namespace asio = boost::asio;

namespace {

constexpr seconds longest_wait{10};
constexpr milliseconds between_looks{3};

/// A lost completion must not hang the suite, and the coroutine may still write to the promise: no way on but out.
template <typename T>
T get(std::future<T> future, const char* what) {
    if (future.wait_for(longest_wait) != std::future_status::ready) {
        std::fprintf(stderr, "store contract: %s never ended\n", what);
        std::abort();
    }
    return future.get();
}

template <typename Request, typename Reply>
using Method = Task<Result<Reply>> (store::Store::*)(const Request&, Deadline);

template <typename Request, typename Reply>
Task<void> call_into(store::Store& store, Method<Request, Reply> method, const Request& request, Deadline deadline,
                     std::promise<Result<Reply>>& reply) {
    auto result = co_await (store.*method)(request, deadline);
    reply.set_value(std::move(result));
}

/// Makes a call on its loop and waits for it.
template <typename Request, typename Reply>
Result<Reply> call_on(asio::io_context& loop, store::Store& store, Method<Request, Reply> method, const Request& request,
                      Deadline deadline) {
    std::promise<Result<Reply>> reply;
    net::spawn(loop, call_into(store, method, request, deadline, reply));
    return get(reply.get_future(), "a call");
}

template <typename Reply>
Reply must(Result<Reply> result, const char* what) {
    if (!result) {
        FAIL(what << ": " << result.error().message());
    }
    return std::move(*result);
}

Task<void> race_into(store::Store& store, const Rig::Call& call, std::promise<Result<Rig::Outcome>>& outcome) {
    const auto deadline = Rig::soon();
    Result<Rig::Outcome> result = make_error_code(store::StoreErrc::lost);
    if (const auto* request = std::get_if<guard::ClaimRequest>(&call)) {
        auto reply = co_await store.claim(*request, deadline);
        result = reply ? Result<Rig::Outcome>(std::move(*reply)) : reply.error();
    } else if (const auto* command = std::get_if<guard::Command>(&call)) {
        auto reply = co_await store.apply(*command, deadline);
        result = reply ? Result<Rig::Outcome>(std::move(*reply)) : reply.error();
    } else {
        auto reply = co_await store.operate(std::get<guard::OperatorCommand>(call), deadline);
        result = reply ? Result<Rig::Outcome>(std::move(*reply)) : reply.error();
    }
    outcome.set_value(std::move(result));
}

Task<void> ping_into(store::Store& store, std::promise<Result<void>>& reply) {
    auto result = co_await store.ping(Rig::soon());
    reply.set_value(std::move(result));
}

/// Runs `step` on the thread of `loop` and waits for it.
template <typename Step>
auto on(asio::io_context& loop, Step step, const char* what) {
    std::packaged_task<std::invoke_result_t<Step>()> task(std::move(step));
    auto future = task.get_future();
    asio::post(loop, std::move(task));
    return get(std::move(future), what);
}

}  // namespace

void ChangeCounter::on_change(const RecordId& id) {
    const std::lock_guard lock(mutex_);
    ++counts_[id];
    told_.notify_all();
}

bool ChangeCounter::wait_for(const RecordId& id, std::size_t count) {
    std::unique_lock lock(mutex_);
    return told_.wait_for(lock, longest_wait, [&] { return counts_[id] >= count; });
}

std::size_t ChangeCounter::count(const RecordId& id) {
    const std::lock_guard lock(mutex_);
    return counts_[id];
}

Rig::Rig() : kind_(make_store_under_test()) {
    std::vector<LoopUnderTest> under_test;
    for (std::size_t i = 0; i < loop_count; ++i) {
        loops_.push_back(std::make_unique<asio::io_context>(1));
        counters_.push_back(std::make_unique<ChangeCounter>());
        guards_.push_back(asio::make_work_guard(*loops_.back()));
        under_test.push_back({*loops_.back(), *counters_.back()});
    }
    const auto loops_a_process = kind_->opens_twice() ? loop_count / 2 : loop_count;
    for (std::size_t first = 0; first < loop_count; first += loops_a_process) {
        for (auto& store : kind_->open(std::span(under_test).subspan(first, loops_a_process))) {
            stores_.push_back(std::move(store));
        }
    }
    REQUIRE(stores_.size() == loop_count);
    for (auto& loop : loops_) {
        threads_.emplace_back([&loop = *loop] { loop.run(); });
    }
    for (std::size_t i = 0; i < loop_count; ++i) {
        REQUIRE(eventually([&] { return ping(i).has_value(); }));
    }
}

Rig::~Rig() {
    for (auto& loop : loops_) {
        loop->stop();
    }
    for (auto& thread : threads_) {
        thread.join();
    }
    stores_.clear();
    kind_->close();
}

Result<guard::ClaimReply> Rig::try_claim(const guard::ClaimRequest& request, std::size_t loop, Deadline deadline) {
    return call_on(*loops_[loop], *stores_[loop], &store::Store::claim, request, deadline);
}

Result<guard::CommandReply> Rig::try_apply(const guard::Command& command, std::size_t loop, Deadline deadline) {
    return call_on(*loops_[loop], *stores_[loop], &store::Store::apply, command, deadline);
}

Result<store::WorkerLease> Rig::lease_worker(const store::WorkerLeaseRequest& request, std::size_t loop) {
    return call_on(*loops_[loop], *stores_[loop], &store::Store::lease_worker, request, soon());
}

Result<guard::OperatorReply> Rig::try_operate(const guard::OperatorCommand& command, std::size_t loop) {
    return call_on(*loops_[loop], *stores_[loop], &store::Store::operate, command, soon());
}

Result<std::optional<store::FoundRecord>> Rig::try_find(const store::RecordLookup& lookup, std::size_t loop) {
    return call_on(*loops_[loop], *stores_[loop], &store::Store::find, lookup, soon());
}

Result<store::RecordPage> Rig::try_list(const store::RecordQuery& query, std::size_t loop) {
    return call_on(*loops_[loop], *stores_[loop], &store::Store::list, query, soon());
}

Result<void> Rig::ping(std::size_t loop) {
    std::promise<Result<void>> reply;
    net::spawn(*loops_[loop], ping_into(*stores_[loop], reply));
    return get(reply.get_future(), "a ping");
}

guard::ClaimReply Rig::claim(const guard::ClaimRequest& request, std::size_t loop) {
    return must(try_claim(request, loop), "claim");
}

guard::CommandReply Rig::apply(const guard::Command& command, std::size_t loop) {
    return must(try_apply(command, loop), "apply");
}

guard::OperatorReply Rig::operate(const guard::OperatorCommand& command, std::size_t loop) {
    return must(try_operate(command, loop), "operate");
}

std::optional<guard::Record> Rig::find(const guard::ClaimRequest& request, std::size_t loop) {
    const auto found =
        must(try_find({request.id, {request.route}, store::Reach::named_routes, store::Detail::content}, loop), "find");
    return found ? std::optional(found->record) : std::nullopt;
}

std::string Rig::replace_rules(const std::string& rules, std::size_t loop) {
    return must(call_on(*loops_[loop], *stores_[loop], &store::Store::replace_rules, rules, soon()), "replace_rules");
}

guard::PieceVerdict Rig::append(const guard::ContentPiece& piece, std::size_t loop) {
    return must(call_on(*loops_[loop], *stores_[loop], &store::Store::append, piece, soon()), "append");
}

std::string Rig::read_piece(const store::PieceLookup& lookup, std::size_t loop) {
    return must(call_on(*loops_[loop], *stores_[loop], &store::Store::read_piece, lookup, soon()), "read_piece");
}

void Rig::discard(const store::PieceLookup& lookup, std::size_t loop) {
    const auto done = call_on(*loops_[loop], *stores_[loop], &store::Store::discard, lookup, soon());
    REQUIRE(done);
}

store::RecordPage Rig::list(const store::RecordQuery& query, std::size_t loop) {
    return must(try_list(query, loop), "list");
}

std::map<RecordId, store::ListedRecord> Rig::list_all(store::RecordQuery query, std::size_t* repeated) {
    std::map<RecordId, store::ListedRecord> all;
    do {
        auto page = list(query, fresh() % loop_count);
        REQUIRE(page.records.size() <= query.limit);
        for (auto& record : page.records) {
            const auto id = record.id;
            const bool is_new = all.insert_or_assign(id, std::move(record)).second;
            if (!is_new && repeated != nullptr) {
                ++*repeated;
            }
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    return all;
}

guard::Claim Rig::win(const guard::ClaimRequest& request, std::size_t loop) {
    const auto reply = claim(request, loop);
    REQUIRE(std::holds_alternative<guard::Claimed>(reply));
    return std::get<guard::Claimed>(reply).claim;
}

guard::Existing Rig::meet(const guard::ClaimRequest& request, std::size_t loop) {
    auto reply = claim(request, loop);
    REQUIRE(std::holds_alternative<guard::Existing>(reply));
    return std::get<guard::Existing>(std::move(reply));
}

std::vector<guard::ClaimReply> Rig::race(const std::vector<guard::ClaimRequest>& requests) {
    std::vector<guard::ClaimReply> all;
    for (auto& outcome : race_calls({requests.begin(), requests.end()})) {
        all.push_back(std::get<guard::ClaimReply>(std::move(outcome)));
    }
    return all;
}

std::vector<Rig::Outcome> Rig::race_calls(const std::vector<Call>& calls) {
    std::vector<std::promise<Result<Outcome>>> outcomes(calls.size());
    std::promise<void> start;
    const std::shared_future<void> started = start.get_future().share();
    // Every loop stands at the barrier before any of them is let go.
    for (auto& loop : loops_) {
        asio::post(*loop, [started] { started.wait(); });
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto loop = i % loop_count;
        net::spawn(*loops_[loop], race_into(*stores_[loop], calls[i], outcomes[i]));
    }
    start.set_value();
    std::vector<Outcome> all;
    for (auto& outcome : outcomes) {
        all.push_back(must(get(outcome.get_future(), "a racing call"), "racing call"));
    }
    return all;
}

void Rig::watch(const RecordId& id, std::size_t loop) {
    on(
        *loops_[loop], [&] { stores_[loop]->watch(id); }, "watch");
}

void Rig::unwatch(const RecordId& id, std::size_t loop) {
    on(
        *loops_[loop], [&] { stores_[loop]->unwatch(id); }, "unwatch");
}

StoreTime Rig::now(std::size_t loop) {
    return on(
        *loops_[loop], [&] { return stores_[loop]->now(); }, "now");
}

void Rig::wait_past(StoreTime time) {
    REQUIRE(eventually([&] { return now() > time; }));
}

bool Rig::eventually(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + longest_wait;
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        pause();
    }
    return true;
}

void Rig::pause() {
    std::promise<void> never;
    never.get_future().wait_for(between_looks);
}

store::StoreInfo Rig::info() {
    return on(
        *loops_[0], [&] { return stores_[0]->info(); }, "info");
}

}  // namespace onceward::contract
