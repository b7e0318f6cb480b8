#pragma once

#include "onceward/store/sqlite_store.hpp"
#include "record_builders.hpp"
#include "temporary_folder.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

struct sqlite3;

namespace onceward::test {

/// One loop with a store on `options.path`, as a process would have it. Calls are made from the test's thread.
class StoreProcess {
public:
    explicit StoreProcess(const store::SqliteOptions& options);
    ~StoreProcess();
    StoreProcess(const StoreProcess&) = delete;
    StoreProcess& operator=(const StoreProcess&) = delete;

    using ClaimResult = Result<guard::ClaimReply>;
    using CommandResult = Result<guard::CommandReply>;

    /// The request must live until the future is ready.
    std::future<ClaimResult> start_claim(const guard::ClaimRequest& request, milliseconds limit = seconds{5});
    std::future<CommandResult> start_apply(const guard::Command& command, milliseconds limit = seconds{5});
    std::future<Result<void>> start_ping(milliseconds limit = seconds{5});

    ClaimResult claim(const guard::ClaimRequest& request, milliseconds limit = seconds{5});
    CommandResult apply(const guard::Command& command, milliseconds limit = seconds{5});
    Result<void> ping(milliseconds limit = seconds{5});
    Result<guard::OperatorReply> operate(const guard::OperatorCommand& command);
    Result<std::optional<store::FoundRecord>> find(const store::RecordLookup& lookup);
    Result<store::RecordPage> list(const store::RecordQuery& query);
    /// A claim that must win.
    guard::Claim win(const guard::ClaimRequest& request);

    [[nodiscard]] store::SqliteCounts counts() const { return backend_->counts(); }
    [[nodiscard]] StoreTime now() const { return store_->now(); }
    store::SqliteBackend& backend() { return *backend_; }

private:
    class NoSink final : public store::ChangeSink {
        void on_change(const RecordId& /*id*/) override {}
    };

    NoSink sink_;
    boost::asio::io_context loop_{1};
    std::unique_ptr<store::SqliteBackend> backend_;
    std::unique_ptr<store::Store> store_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    std::thread thread_;
};

/// The file as any other program sees it. Throws std::runtime_error on a failing statement.
class PlainConnection {
public:
    explicit PlainConnection(const std::string& path);
    ~PlainConnection();
    PlainConnection(const PlainConnection&) = delete;
    PlainConnection& operator=(const PlainConnection&) = delete;
    void execute(const std::string& sql);
    std::int64_t number(const std::string& sql);
    std::string text(const std::string& sql);

private:
    sqlite3* handle_ = nullptr;
};

/// Looks again and again, a few milliseconds apart; false when `done` never held within ten seconds.
bool eventually(const std::function<bool()>& done);

/// Runs `child` in a process of its own, which ends with its result. `wait_for_exit` gives that, or -1 for a signal.
/// To be called while this process has one thread.
class ChildProcess {
public:
    /// `child` gets the end of a pipe to write to.
    explicit ChildProcess(const std::function<int(int)>& child);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    /// Whether it wrote a byte to the pipe within ten seconds.
    bool wait_for_byte();
    void kill();
    int wait_for_exit();

private:
    int pid_ = -1;
    int pipe_ = -1;
};

}  // namespace onceward::test
