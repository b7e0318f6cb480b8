#pragma once

#include "onceward/store/store.hpp"
#include "store/redis/backoff.hpp"
#include "store/redis/command.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/dialer.hpp"
#include "store/redis/resp.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>

namespace onceward::store::redis {

/// The loop's one connection for notices of changed records, opened when somebody first waits and shared by all who do. While it
/// is away nobody is told anything: waiters poll as well.
class Subscriber final : public std::enable_shared_from_this<Subscriber> {
public:
    Subscriber(asio::io_context& loop, const config::Store& options, ChangeSink& changes);
    void close();

    void watch(const RecordId& id);
    void unwatch(const RecordId& id);
    void set_password(const std::string& password) { dialer_.set_password(password); }

private:
    static Task<> run(std::shared_ptr<Subscriber> self);
    Task<> listen();
    void on_message(const Reply& reply);
    void subscribe_all();
    void send(std::string_view command, const RecordId& id);
    void schedule_flush();
    void flush();
    void close_socket();

    asio::io_context& loop_;
    Keyspace keys_;
    ChangeSink& changes_;
    Dialer dialer_;
    net::Socket socket_;
    Timer timer_;  ///< the limit of an attempt, and the pause between two
    Backoff backoff_;
    std::map<RecordId, std::size_t> watched_;
    ReplyReader reader_;
    std::array<char, 4096> input_{};
    std::string output_;
    std::string sending_;
    bool is_running_ = false;
    bool is_open_ = false;
    bool is_writing_ = false;
    bool flush_scheduled_ = false;
    bool closed_ = false;
};

}  // namespace onceward::store::redis
