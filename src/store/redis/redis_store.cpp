#include "onceward/store/redis_store.hpp"

#include "store/redis/clock_estimate.hpp"
#include "store/redis/command.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/operation.hpp"
#include "store/redis/operator_calls.hpp"
#include "store/redis/piece_calls.hpp"
#include "store/redis/record_codec.hpp"
#include "store/redis/server_watch.hpp"
#include "store/redis/subscriber.hpp"

#include <optional>
#include <utility>

namespace onceward::store {

namespace {

using redis::ClockEstimate;
using redis::Reply;
using redis::Script;
using redis::ScriptForm;

class ClaimOperation final : public redis::ScriptOperation {
public:
    ClaimOperation(const redis::Keyspace& keys, const guard::ClaimRequest& request, ClockEstimate& clock)
        : ScriptOperation(redis::claim_script), keys_(keys), request_(request), clock_(clock) {}
    guard::ClaimReply reply;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override {
        redis::write_claim(out, keys_, request_, form);
    }
    bool read(const Reply& from) override {
        auto answer = redis::read_claim(from, request_);
        if (answer) {
            clock_.hear(answer->now);
            reply = std::move(answer->reply);
        }
        return answer.has_value();
    }
    const redis::Keyspace& keys_;
    const guard::ClaimRequest& request_;
    ClockEstimate& clock_;
};

class CommandOperation final : public redis::ScriptOperation {
public:
    CommandOperation(const redis::Keyspace& keys, const guard::Command& command, ClockEstimate& clock)
        : ScriptOperation(redis::command_script), keys_(keys), command_(command), clock_(clock) {}
    guard::CommandReply reply;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override {
        redis::write_command(out, keys_, command_, form);
    }
    bool read(const Reply& from) override {
        const auto answer = redis::read_command(from);
        if (answer) {
            clock_.hear(answer->now);
            reply = answer->reply;
        }
        return answer.has_value();
    }
    const redis::Keyspace& keys_;
    const guard::Command& command_;
    ClockEstimate& clock_;
};

class WorkerOperation final : public redis::ScriptOperation {
public:
    WorkerOperation(const redis::Keyspace& keys, const WorkerLeaseRequest& request, ClockEstimate& clock)
        : ScriptOperation(redis::worker_script), keys_(keys), request_(request), clock_(clock) {}
    std::optional<WorkerLease> lease;

private:
    void write_script(std::string& out, const Script& /*script*/, ScriptForm form) override {
        redis::write_worker_lease(out, keys_, request_, form);
    }
    bool read(const Reply& from) override {
        const auto answer = redis::read_worker_lease(from);
        if (answer) {
            clock_.hear(answer->now);
            lease = answer->lease;
        }
        return answer.has_value();
    }
    const redis::Keyspace& keys_;
    const WorkerLeaseRequest& request_;
    ClockEstimate& clock_;
};

class ReadyOperation final : public redis::ScriptOperation {
public:
    explicit ReadyOperation(ClockEstimate& clock) : ScriptOperation(redis::ready_script), clock_(clock) {}

private:
    void write_script(std::string& out, const Script& script, ScriptForm form) override {
        redis::begin_script(out, script, form, 0, 0);
    }
    bool read(const Reply& from) override {
        const auto now = redis::read_clock(from);
        if (now) {
            clock_.hear(*now);
        }
        return now.has_value();
    }
    ClockEstimate& clock_;
};

}  // namespace

class RedisStore final : public Store, private redis::ConnectionObserver {
public:
    RedisStore(boost::asio::io_context& loop, const config::Store& options, ChangeSink& changes, RedisEvents& events);
    ~RedisStore() override;

    Task<Result<guard::ClaimReply>> claim(const guard::ClaimRequest& request, Deadline deadline) override;
    Task<Result<guard::CommandReply>> apply(const guard::Command& command, Deadline deadline) override;
    Task<Result<guard::PieceVerdict>> append(const guard::ContentPiece& piece, Deadline deadline) override {
        return redis::append(server(), piece, deadline);
    }
    Task<Result<std::string>> read_piece(const PieceLookup& lookup, Deadline deadline) override {
        return redis::read_piece(server(), lookup, deadline);
    }
    Task<Result<void>> discard(const PieceLookup& lookup, Deadline deadline) override {
        return redis::discard(server(), lookup, deadline);
    }
    Task<Result<guard::OperatorReply>> operate(const guard::OperatorCommand& command, Deadline deadline) override {
        return redis::operate(server(), command, deadline);
    }
    Task<Result<std::optional<FoundRecord>>> find(const RecordLookup& lookup, Deadline deadline) override {
        return redis::find(server(), lookup, deadline);
    }
    Task<Result<RecordPage>> list(const RecordQuery& query, Deadline deadline) override {
        return redis::list(server(), query, deadline);
    }
    Task<Result<void>> ping(Deadline deadline) override;
    Task<Result<WorkerLease>> lease_worker(const WorkerLeaseRequest& request, Deadline deadline) override;
    Task<Result<std::string>> replace_rules(const std::string& rules, Deadline deadline) override;

    [[nodiscard]] StoreTime now() const override { return clock_.now(); }
    [[nodiscard]] StoreInfo info() const override { return {"redis", true, true}; }
    void watch(const RecordId& id) override { subscriber_->watch(id); }
    void unwatch(const RecordId& id) override { subscriber_->unwatch(id); }
    void set_password(const std::string& password) override {
        connection_->set_password(password);
        subscriber_->set_password(password);
    }

private:
    void on_open() override;
    redis::Server server() { return {*connection_, keys_, clock_}; }

    redis::Keyspace keys_;
    redis::ClockEstimate clock_;
    // Shared with their own operations under way, which may still be in the loop when this object is gone.
    std::shared_ptr<redis::Connection> connection_;
    std::shared_ptr<redis::Subscriber> subscriber_;
    std::shared_ptr<redis::ServerWatch> server_watch_;  ///< only in the store that watches for the process
};

RedisStore::RedisStore(boost::asio::io_context& loop, const config::Store& options, ChangeSink& changes, RedisEvents& events)
    : keys_(options.prefix),
      connection_(std::make_shared<redis::Connection>(loop, options, events)),
      subscriber_(std::make_shared<redis::Subscriber>(loop, options, changes)) {
    if (events.take_watch()) {
        server_watch_ = std::make_shared<redis::ServerWatch>(loop, connection_, keys_, events);
        server_watch_->start();
    }
    connection_->start(*this);
}

RedisStore::~RedisStore() {
    if (server_watch_) {
        server_watch_->close();
    }
    subscriber_->close();
    connection_->close();
}

void RedisStore::on_open() {
    if (server_watch_) {
        server_watch_->on_open();
    }
}

Task<Result<guard::ClaimReply>> RedisStore::claim(const guard::ClaimRequest& request, Deadline deadline) {
    ClaimOperation operation(keys_, request, clock_);
    do {
        co_await operation.run(*connection_, deadline);
    } while (operation.take_missing());
    if (operation.failure()) {
        co_return operation.failure();
    }
    co_return std::move(operation.reply);
}

Task<Result<guard::CommandReply>> RedisStore::apply(const guard::Command& command, Deadline deadline) {
    CommandOperation operation(keys_, command, clock_);
    do {
        co_await operation.run(*connection_, deadline);
    } while (operation.take_missing());
    if (operation.failure()) {
        co_return operation.failure();
    }
    if (operation.reply.verdict == guard::CommandVerdict::rewritten && server_watch_) {
        server_watch_->look_now();
    }
    co_return operation.reply;
}

Task<Result<void>> RedisStore::ping(Deadline deadline) {
    ReadyOperation operation(clock_);
    do {
        co_await operation.run(*connection_, deadline);
    } while (operation.take_missing());
    if (operation.failure()) {
        co_return operation.failure();
    }
    co_return Result<void>{};
}

Task<Result<WorkerLease>> RedisStore::lease_worker(const WorkerLeaseRequest& request, Deadline deadline) {
    WorkerOperation operation(keys_, request, clock_);
    do {
        co_await operation.run(*connection_, deadline);
    } while (operation.take_missing());
    if (operation.failure()) {
        co_return operation.failure();
    }
    if (!operation.lease) {
        co_return StoreErrc::rejected;
    }
    co_return *operation.lease;
}

Task<Result<std::string>> RedisStore::replace_rules(const std::string& rules, Deadline deadline) {
    redis::TextOperation operation({"SET", keys_.rules(), rules, "GET"});
    co_await operation.run(*connection_, deadline);
    if (operation.failure()) {
        co_return operation.failure();
    }
    co_return operation.text();
}

std::unique_ptr<Store> make_redis_store(boost::asio::io_context& loop, const config::Store& options, ChangeSink& changes,
                                        RedisEvents& events) {
    return std::make_unique<RedisStore>(loop, options, changes, events);
}

}  // namespace onceward::store
