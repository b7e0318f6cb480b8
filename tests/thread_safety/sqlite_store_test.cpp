#include "onceward/store/sqlite_store.hpp"

#include "catch.hpp"
#include "store_traffic.hpp"
#include "temporary_folder.hpp"

using namespace onceward;
using test::StoreTraffic;

namespace {

/// A process with one SQLite store a loop.
struct Process {
    explicit Process(const test::TemporaryFolder& folder) {
        for (std::size_t i = 0; i < loops.size(); ++i) {
            users.push_back({loops[i], sinks[i]});
        }
        store::SqliteOptions options;
        options.path = folder.file("records.db");
        options.purge_interval = milliseconds{1};
        backend = std::make_unique<store::SqliteBackend>(options, users);
        for (std::size_t i = 0; i < loops.size(); ++i) {
            stores.push_back(store::make_sqlite_store(*backend, i));
        }
    }
    void start(StoreTraffic& traffic) {
        for (std::size_t i = 0; i < loops.size(); ++i) {
            traffic.start(loops[i], *stores[i], i);
        }
        loops.run();
    }

    test::Loops loops{3};
    std::vector<test::CountingSink> sinks = std::vector<test::CountingSink>(3);
    std::vector<store::SqliteLoop> users;
    std::unique_ptr<store::SqliteBackend> backend;
    std::vector<std::unique_ptr<store::Store>> stores;
};

}  // namespace

TEST_CASE("loops queue to one writer, and its numbers are read meanwhile: a record has one holder") {
    const test::TemporaryFolder folder;
    Process process(folder);
    StoreTraffic traffic(40);
    process.start(traffic);
    std::uint64_t seen = 0;
    test::on_threads(1, [&](std::size_t) {
        for (int i = 0; i < 1'000; ++i) {
            const auto operations = process.backend->counts().operations;
            seen = operations >= seen ? operations : seen + 1'000'000'000;
        }
    });
    CHECK(traffic.wait());
    process.loops.stop();
    CHECK(process.backend->counts().operations >= seen);
    CHECK(process.backend->counts().commits > 0);
    CHECK(traffic.claims() > 10);
    CHECK(traffic.doubled() == 0);
    CHECK(traffic.wrong() == 0);
}

TEST_CASE("two processes on one file give a record one holder") {
    const test::TemporaryFolder folder;
    Process first(folder);
    Process second(folder);
    StoreTraffic traffic(15);
    first.start(traffic);
    second.start(traffic);
    CHECK(traffic.wait());
    first.loops.stop();
    second.loops.stop();
    CHECK(traffic.claims() > 10);
    CHECK(traffic.doubled() == 0);
}

TEST_CASE("a store ends while the loops' calls are still under way") {
    const test::TemporaryFolder folder;
    for (int i = 0; i < 10; ++i) {
        Process process(folder);
        StoreTraffic traffic(1'000'000);
        process.start(traffic);
        while (process.backend->counts().operations == 0) {
            std::this_thread::yield();
        }
        process.loops.stop();
        process.stores.clear();
        CHECK(process.backend->counts().operations > 0);
        process.backend.reset();
    }
}
