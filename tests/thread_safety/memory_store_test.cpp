#include "onceward/store/memory_store.hpp"

#include "catch.hpp"
#include "store_traffic.hpp"

using namespace onceward;
using test::StoreTraffic;

TEST_CASE("shards of the memory store are each loop's own: a record has one holder, whichever loop asks") {
    test::Loops loops(3);
    std::vector<test::CountingSink> sinks(loops.size());
    std::vector<store::MemoryLoop> users;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        users.push_back({&loops[i], &sinks[i]});
    }
    store::MemoryBackend backend(users);
    std::vector<std::unique_ptr<store::Store>> stores;
    StoreTraffic traffic(400);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        stores.push_back(store::make_memory_store(backend, i));
        traffic.start(loops[i], *stores[i], i);
    }
    loops.run();
    CHECK(traffic.wait());
    loops.stop();
    CHECK(traffic.claims() > 100);
    CHECK(traffic.doubled() == 0);
    CHECK(traffic.wrong() == 0);
}
