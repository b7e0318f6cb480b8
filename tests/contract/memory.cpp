#include "onceward/store/memory_store.hpp"
#include "store_contract.hpp"

namespace onceward::contract {

namespace {

class MemoryUnderTest final : public StoreUnderTest {
public:
    std::vector<std::unique_ptr<store::Store>> open(std::span<const LoopUnderTest> loops) override {
        std::vector<store::MemoryLoop> used;
        for (const auto& each : loops) {
            used.push_back({&each.loop, &each.changes});
        }
        backend_ = std::make_unique<store::MemoryBackend>(std::move(used));
        std::vector<std::unique_ptr<store::Store>> stores;
        for (std::size_t i = 0; i < loops.size(); ++i) {
            stores.push_back(store::make_memory_store(*backend_, i));
        }
        return stores;
    }

    void close() override { backend_.reset(); }

    [[nodiscard]] bool opens_twice() const override { return false; }

private:
    std::unique_ptr<store::MemoryBackend> backend_;
};

}  // namespace

std::unique_ptr<StoreUnderTest> make_store_under_test() {
    return std::make_unique<MemoryUnderTest>();
}

}  // namespace onceward::contract
