#pragma once

#include "onceward/config/options.hpp"
#include "onceward/store/store.hpp"

#include <atomic>
#include <memory>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace onceward::store {

/// What the stores of a process notice about their Redis. One object a process, which outlives its stores; calls come from any
/// loop's thread.
class RedisEvents {
public:
    RedisEvents() = default;
    RedisEvents(const RedisEvents&) = delete;
    RedisEvents& operator=(const RedisEvents&) = delete;
    virtual ~RedisEvents() = default;

    /// The server lost records, or may have: it was emptied, restarted or replaced. To be counted and logged.
    virtual void on_data_loss(std::string_view evidence) = 0;
    /// Something for the log. `event` is a short name, `detail` a sentence without secrets.
    virtual void on_notice(config::LogLevel level, std::string_view event, std::string_view detail) = 0;

private:
    friend class RedisStore;
    /// The first store of a process watches the server for all of them.
    [[nodiscard]] bool take_watch() { return !watched_.exchange(true); }
    std::atomic<bool> watched_{false};
};

/// A store on one Redis 7.0 or newer (or Valkey), over TCP or a unix socket. One an event loop; call it on that loop's thread or
/// before the loop runs. It connects at once and again whenever the connection ends, with growing pauses of up to 2 s; it has no
/// thread of its own.
///
/// One connection carries all commands of the loop. While there is none, a call waits for a connection attempt that can begin
/// within its deadline, and for one attempt only; else it ends with `unavailable`. That is also how a call ends that met its
/// deadline before it was sent: `timed_out` means that it was.
std::unique_ptr<Store> make_redis_store(boost::asio::io_context& loop, const config::Store& options, ChangeSink& changes,
                                        RedisEvents& events);

}  // namespace onceward::store
