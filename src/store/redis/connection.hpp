#pragma once

#include "net/socket.hpp"
#include "onceward/store/redis_store.hpp"
#include "store/redis/backoff.hpp"
#include "store/redis/command.hpp"
#include "store/redis/connection_machine.hpp"
#include "store/redis/dialer.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

#include <array>
#include <memory>
#include <string>

namespace onceward::store::redis {

using Timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                                net::Executor>;

/// Told when a connection came about, for what is to be asked of a new server.
class ConnectionObserver {
public:
    virtual ~ConnectionObserver() = default;
    virtual void on_open() = 0;
};

/// Loads a script ahead of its first use. Nobody waits for it.
class ScriptLoad final : public PendingCommand {
public:
    explicit ScriptLoad(const Script& script) : script_(script) {}
    void write(std::string& out) override { append_command(out, {"SCRIPT", "LOAD", script_.source}); }
    void on_reply(const Reply& /*reply*/) override {}
    void on_failure(StoreErrc /*errc*/) override {}
    void end() override {}
    void abandon() override {}

private:
    const Script& script_;
};

/// The loop's one connection for commands: a socket that drives `ConnectionMachine`, opened again whenever it ends.
///
/// The commands of one turn of the loop leave in one write. Shared only by its own operations under way: after `close` they end
/// without touching anything else.
class Connection final : public std::enable_shared_from_this<Connection> {
public:
    Connection(asio::io_context& loop, const config::Store& options, RedisEvents& events);
    void start(ConnectionObserver& observer);
    /// For good. Commands under way are abandoned.
    void close();

    /// Takes the command up; its `end` is never called from inside.
    void submit(PendingCommand& command);
    void set_password(const std::string& password) { dialer_.set_password(password); }

private:
    static Task<> run(std::shared_ptr<Connection> self);
    Task<DialFailure> open();
    Task<boost::system::error_code> read();
    Task<> pause(milliseconds pause);
    void opened();
    void report(const std::string& failure);
    void report_refusal();

    void schedule_turn();
    void turn();
    void flush();
    void write_rest();
    void end_commands();
    void close_if_spent();
    void close_socket();
    void arm(Deadline deadline);
    void on_timer();

    asio::io_context& loop_;
    config::Store options_;
    RedisEvents& events_;
    ConnectionObserver* observer_ = nullptr;
    ConnectionMachine machine_;
    Dialer dialer_;
    net::Socket socket_;
    Timer timer_;        ///< the earliest deadline of commands and of the attempt to open
    Timer pause_timer_;  ///< between attempts
    Backoff backoff_;
    Deadline armed_for_ = Deadline::max();
    Deadline attempt_ends_ = Deadline::max();
    std::array<ScriptLoad, 2> script_loads_;
    std::string sending_;
    std::array<char, 32 * 1024> input_{};
    bool turn_scheduled_ = false;
    bool is_writing_ = false;
    bool is_away_ = false;  ///< the outage was reported
    Deadline refusal_told_ = Deadline::min();
    bool closed_ = false;
};

}  // namespace onceward::store::redis
