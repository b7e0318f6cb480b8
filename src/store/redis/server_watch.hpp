#pragma once

#include "onceward/store/redis_store.hpp"
#include "store/redis/command.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/operation.hpp"
#include "store/redis/server_facts.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onceward::store::redis {

/// Looks at the server after each connect, and at the epoch key every few seconds: what can be lost is said, what was lost is
/// noticed. Everything here is best effort; a user without rights on INFO, CONFIG or the key costs a look and nothing else.
class ServerWatch final : public std::enable_shared_from_this<ServerWatch> {
public:
    static constexpr milliseconds interval{5'000};

    ServerWatch(asio::io_context& loop, std::shared_ptr<Connection> connection, Keyspace keys, RedisEvents& events);
    void start();
    void close();

    /// A connection was opened.
    void on_open();
    /// There is reason to think that the server was emptied.
    void look_now();

private:
    static Task<> run(std::shared_ptr<ServerWatch> self);
    Task<> look_at_server();
    Task<> look_at_mark();
    Task<std::optional<std::string>> ask(TextOperation& question);
    void report(std::vector<Advice> advice);

    asio::io_context& loop_;
    std::shared_ptr<Connection> connection_;
    Keyspace keys_;
    RedisEvents& events_;
    Timer timer_;
    LossDetector losses_;
    std::vector<Advice> given_;
    bool is_new_server_ = false;
    bool closed_ = false;
};

}  // namespace onceward::store::redis
