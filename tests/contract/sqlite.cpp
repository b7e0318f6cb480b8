#include "onceward/store/sqlite_store.hpp"
#include "store_contract.hpp"
#include "temporary_folder.hpp"

#include <string>

namespace onceward::contract {

namespace {

class SqliteUnderTest final : public StoreUnderTest {
public:
    std::vector<std::unique_ptr<store::Store>> open(std::span<const LoopUnderTest> loops) override {
        std::vector<store::SqliteLoop> used;
        for (const auto& each : loops) {
            used.push_back({each.loop, each.changes});
        }
        store::SqliteOptions options;
        options.path = folder_.file("records.db");
        backends_.push_back(std::make_unique<store::SqliteBackend>(options, used));
        std::vector<std::unique_ptr<store::Store>> stores;
        for (std::size_t i = 0; i < loops.size(); ++i) {
            stores.push_back(store::make_sqlite_store(*backends_.back(), i));
        }
        return stores;
    }

    void close() override { backends_.clear(); }

private:
    test::TemporaryFolder folder_;
    std::vector<std::unique_ptr<store::SqliteBackend>> backends_;
};

}  // namespace

std::unique_ptr<StoreUnderTest> make_store_under_test() {
    return std::make_unique<SqliteUnderTest>();
}

}  // namespace onceward::contract
