#pragma once

#include "onceward/config/options.hpp"
#include "temporary_folder.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::contract {

/// A redis-server of the test's own, on a unix socket and an ephemeral TCP port, without persistence unless asked for. Stopped by
/// its process id.
class RedisServer {
public:
    using Arguments = std::vector<std::string>;

    explicit RedisServer(Arguments arguments = {});
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    /// Options of a store over TCP, or over the unix socket.
    [[nodiscard]] config::Store tcp() const;
    [[nodiscard]] config::Store unix_socket() const;

    /// One command on a connection of its own; the reply as redis-cli would print it, an array line by line, an error with `-`.
    std::string command(std::initializer_list<std::string_view> arguments) const;
    /// Sends further commands under this password.
    void log_in_with(std::string password) { password_ = std::move(password); }

    void kill();
    enum class Wait : std::uint8_t { until_it_serves, until_it_listens };
    /// After `kill`: on the same addresses and, if persistent, with the same data.
    void start(Wait wait = Wait::until_it_serves);
    void pause();
    void resume();

private:
    [[nodiscard]] bool answers(Wait wait) const;

    test::TemporaryFolder folder_;
    std::string socket_path_;
    std::uint16_t port_ = 0;
    Arguments arguments_;
    std::string password_;
    pid_t pid_ = -1;
};

}  // namespace onceward::contract
