#include "app/store_backend.hpp"

#include "onceward/config/load.hpp"
#include "onceward/telemetry/log.hpp"

namespace onceward::app {

namespace {

std::unique_ptr<store::MemoryBackend> open_memory(const std::vector<StoreUser>& users) {
    std::vector<store::MemoryLoop> loops;
    for (const auto& user : users) {
        loops.push_back({user.loop, user.changes});
    }
    telemetry::warn("the memory store forgets every key when this process ends, and no other process sees them");
    return std::make_unique<store::MemoryBackend>(std::move(loops));
}

std::unique_ptr<store::SqliteBackend> open_sqlite(const config::Store& options, const std::vector<StoreUser>& users) {
    std::vector<store::SqliteLoop> loops;
    for (const auto& user : users) {
        loops.push_back({*user.loop, *user.changes});
    }
    store::SqliteOptions sqlite;
    sqlite.path = options.sqlite_path;
    sqlite.prefix = options.prefix;
    sqlite.busy_timeout = options.timeout;
    auto backend = std::make_unique<store::SqliteBackend>(sqlite, loops);
    telemetry::info("store opened", {{"store", "sqlite"}, {"path", options.sqlite_path}});
    for (const auto& warning : backend->warnings()) {
        telemetry::warn(warning, {{"path", options.sqlite_path}});
    }
    return backend;
}

}  // namespace

StoreBackend::StoreBackend(const config::Options& options, const std::vector<StoreUser>& users, store::RedisEvents& events)
    : options_(options), users_(users), events_(events) {
    switch (options.store.kind) {
        case config::StoreKind::memory:
            memory_ = open_memory(users_);
            break;
        case config::StoreKind::sqlite:
            sqlite_ = open_sqlite(options.store, users_);
            break;
        case config::StoreKind::redis:
            telemetry::info("store configured", {{"store", "redis"}, {"url", config::masked(options.store.url)}});
            break;
    }
}

StoreBackend::~StoreBackend() = default;

std::optional<store::RecordCounts> StoreBackend::record_counts() const {
    if (memory_) {
        return memory_->record_counts();
    }
    return sqlite_ ? std::optional(sqlite_->record_counts()) : std::nullopt;
}

std::unique_ptr<store::Store> StoreBackend::open(std::size_t index) {
    switch (options_.store.kind) {
        case config::StoreKind::memory:
            return store::make_memory_store(*memory_, index);
        case config::StoreKind::sqlite:
            return store::make_sqlite_store(*sqlite_, index);
        case config::StoreKind::redis:
            break;
    }
    return store::make_redis_store(*users_[index].loop, options_.store, *users_[index].changes, events_);
}

}  // namespace onceward::app
