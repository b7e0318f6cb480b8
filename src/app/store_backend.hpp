#pragma once

#include "onceward/config/options.hpp"
#include "onceward/store/memory_store.hpp"
#include "onceward/store/redis_store.hpp"
#include "onceward/store/sqlite_store.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace onceward::app {

/// An event loop that wants a store, and where it hears of changes.
struct StoreUser {
    boost::asio::io_context* loop;
    store::ChangeSink* changes;
};

/// The store that the configuration names: what the loops share of it. The only place that knows the concrete stores.
class StoreBackend {
public:
    /// Opens it. Throws std::exception with a text for people when it can't be used; a Redis that is away is no such case.
    StoreBackend(const config::Options& options, const std::vector<StoreUser>& users, store::RedisEvents& events);
    ~StoreBackend();

    /// The port of the loop at `index`.
    std::unique_ptr<store::Store> open(std::size_t index);
    /// Records by state, where counting them is cheap: nothing on Redis. From any thread.
    [[nodiscard]] std::optional<store::RecordCounts> record_counts() const;

private:
    const config::Options& options_;
    std::vector<StoreUser> users_;
    store::RedisEvents& events_;
    std::unique_ptr<store::MemoryBackend> memory_;
    std::unique_ptr<store::SqliteBackend> sqlite_;
};

}  // namespace onceward::app
