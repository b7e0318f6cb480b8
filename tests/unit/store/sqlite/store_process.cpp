#include "store_process.hpp"

#include "catch.hpp"
#include "net/spawn.hpp"

#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace onceward::test {

namespace {

using std::chrono::steady_clock;
constexpr seconds longest_wait{10};

Task<void> claim_into(store::Store& store, const guard::ClaimRequest& request, Deadline deadline,
                      std::promise<StoreProcess::ClaimResult> reply) {
    auto result = co_await store.claim(request, deadline);
    reply.set_value(std::move(result));
}

Task<void> apply_into(store::Store& store, const guard::Command& command, Deadline deadline,
                      std::promise<StoreProcess::CommandResult> reply) {
    auto result = co_await store.apply(command, deadline);
    reply.set_value(std::move(result));
}

template <typename Request, typename Reply>
Task<void> call_into(store::Store& store, Task<Result<Reply>> (store::Store::*method)(const Request&, Deadline),
                     const Request& request, std::promise<Result<Reply>> reply) {
    const auto deadline = steady_clock::now() + seconds{5};
    auto result = co_await (store.*method)(request, deadline);
    reply.set_value(std::move(result));
}

Task<void> ping_into(store::Store& store, Deadline deadline, std::promise<Result<void>> reply) {
    auto result = co_await store.ping(deadline);
    reply.set_value(std::move(result));
}

/// A lost completion must not hang the test, and the coroutine may still use the request: no way on but out.
template <typename T>
T get(std::future<T> future) {
    if (future.wait_for(longest_wait) != std::future_status::ready) {
        std::fprintf(stderr, "a call of the store never ended\n");
        std::abort();
    }
    return future.get();
}

template <typename Request, typename Reply>
Result<Reply> call_on(boost::asio::io_context& loop, store::Store& store,
                      Task<Result<Reply>> (store::Store::*method)(const Request&, Deadline), const Request& request) {
    std::promise<Result<Reply>> reply;
    auto future = reply.get_future();
    net::spawn(loop, call_into(store, method, request, std::move(reply)));
    return get(std::move(future));
}

}  // namespace

StoreProcess::StoreProcess(const store::SqliteOptions& options)
    : backend_(std::make_unique<store::SqliteBackend>(options, std::vector<store::SqliteLoop>{{loop_, sink_}})),
      store_(store::make_sqlite_store(*backend_, 0)),
      guard_(loop_.get_executor()),
      thread_([this] { loop_.run(); }) {}

StoreProcess::~StoreProcess() {
    loop_.stop();
    thread_.join();
}

std::future<StoreProcess::ClaimResult> StoreProcess::start_claim(const guard::ClaimRequest& request, milliseconds limit) {
    std::promise<ClaimResult> reply;
    auto future = reply.get_future();
    net::spawn(loop_, claim_into(*store_, request, steady_clock::now() + limit, std::move(reply)));
    return future;
}

std::future<StoreProcess::CommandResult> StoreProcess::start_apply(const guard::Command& command, milliseconds limit) {
    std::promise<CommandResult> reply;
    auto future = reply.get_future();
    net::spawn(loop_, apply_into(*store_, command, steady_clock::now() + limit, std::move(reply)));
    return future;
}

std::future<Result<void>> StoreProcess::start_ping(milliseconds limit) {
    std::promise<Result<void>> reply;
    auto future = reply.get_future();
    net::spawn(loop_, ping_into(*store_, steady_clock::now() + limit, std::move(reply)));
    return future;
}

StoreProcess::ClaimResult StoreProcess::claim(const guard::ClaimRequest& request, milliseconds limit) {
    return get(start_claim(request, limit));
}

StoreProcess::CommandResult StoreProcess::apply(const guard::Command& command, milliseconds limit) {
    return get(start_apply(command, limit));
}

Result<void> StoreProcess::ping(milliseconds limit) {
    return get(start_ping(limit));
}

Result<guard::OperatorReply> StoreProcess::operate(const guard::OperatorCommand& command) {
    return call_on(loop_, *store_, &store::Store::operate, command);
}

Result<std::optional<store::FoundRecord>> StoreProcess::find(const store::RecordLookup& lookup) {
    return call_on(loop_, *store_, &store::Store::find, lookup);
}

Result<store::RecordPage> StoreProcess::list(const store::RecordQuery& query) {
    return call_on(loop_, *store_, &store::Store::list, query);
}

guard::Claim StoreProcess::win(const guard::ClaimRequest& request) {
    const auto reply = claim(request);
    if (!reply) {
        FAIL("claim: " << reply.error().message());
    }
    REQUIRE(std::holds_alternative<guard::Claimed>(*reply));
    return std::get<guard::Claimed>(*reply).claim;
}

PlainConnection::PlainConnection(const std::string& path) {
    if (sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK) {
        throw std::runtime_error(sqlite3_errmsg(handle_));
    }
    sqlite3_busy_timeout(handle_, 5'000);
}

PlainConnection::~PlainConnection() {
    sqlite3_close_v2(handle_);
}

void PlainConnection::execute(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
    }
}

std::string PlainConnection::text(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    std::string value;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
    }
    if (const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)); data != nullptr) {
        value = data;
    }
    sqlite3_finalize(statement);
    return value;
}

std::int64_t PlainConnection::number(const std::string& sql) {
    return std::stoll(text(sql));
}

bool eventually(const std::function<bool()>& done) {
    const auto end = steady_clock::now() + longest_wait;
    while (!done()) {
        if (steady_clock::now() > end) {
            return false;
        }
        ::poll(nullptr, 0, 3);
    }
    return true;
}

ChildProcess::ChildProcess(const std::function<int(int)>& child) {
    int ends[2];
    if (::pipe(ends) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
        ::close(ends[0]);
        ::alarm(30);
        ::_exit(child(ends[1]));
    }
    ::close(ends[1]);
    pipe_ = ends[0];
}

ChildProcess::~ChildProcess() {
    if (pid_ > 0) {
        kill();
        wait_for_exit();
    }
    ::close(pipe_);
}

bool ChildProcess::wait_for_byte() {
    pollfd wanted{pipe_, POLLIN, 0};
    char byte = 0;
    return ::poll(&wanted, 1, 10'000) == 1 && ::read(pipe_, &byte, 1) == 1;
}

void ChildProcess::kill() {
    ::kill(pid_, SIGKILL);
}

int ChildProcess::wait_for_exit() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace onceward::test
