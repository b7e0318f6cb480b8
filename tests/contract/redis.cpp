#include "onceward/store/redis_store.hpp"
#include "redis_server.hpp"
#include "store_contract.hpp"

namespace onceward::contract {

namespace {

class NoEvents final : public store::RedisEvents {
public:
    void on_data_loss(std::string_view /*evidence*/) override {}
    void on_notice(config::LogLevel /*level*/, std::string_view /*event*/, std::string_view /*detail*/) override {}
};

/// One server serves all cases of the program: each case finds it empty.
RedisServer& server() {
    static RedisServer server;
    return server;
}

class RedisUnderTest final : public StoreUnderTest {
public:
    RedisUnderTest() { server().command({"FLUSHALL"}); }

    /// The first process over TCP, the second over the unix socket.
    std::vector<std::unique_ptr<store::Store>> open(std::span<const LoopUnderTest> loops) override {
        events_.push_back(std::make_unique<NoEvents>());
        const auto options = events_.size() == 1 ? server().tcp() : server().unix_socket();
        std::vector<std::unique_ptr<store::Store>> stores;
        for (const auto& each : loops) {
            stores.push_back(store::make_redis_store(each.loop, options, each.changes, *events_.back()));
        }
        return stores;
    }

    void close() override { events_.clear(); }

    bool wipe() override {
        server().command({"FLUSHALL"});
        return true;
    }

private:
    std::vector<std::unique_ptr<NoEvents>> events_;
};

}  // namespace

std::unique_ptr<StoreUnderTest> make_store_under_test() {
    return std::make_unique<RedisUnderTest>();
}

}  // namespace onceward::contract
