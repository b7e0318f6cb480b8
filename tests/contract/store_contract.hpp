#pragma once

#include "onceward/store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <span>
#include <vector>

/// @file
/// What a kind of store adds to the contract suite: one file that defines `make_store_under_test`.

namespace onceward::contract {

/// An event loop of the suite, and who wants to hear of changes there.
struct LoopUnderTest {
    boost::asio::io_context& loop;
    store::ChangeSink& changes;
};

/// A kind of store with an empty set of records, for one test case. Its server (if any) is started by the constructor, or lives
/// as long as the test program, and is stopped by its process id.
class StoreUnderTest {
public:
    virtual ~StoreUnderTest() = default;
    StoreUnderTest() = default;
    StoreUnderTest(const StoreUnderTest&) = delete;
    StoreUnderTest& operator=(const StoreUnderTest&) = delete;

    /// Opens one store a loop, as one process does at its start, before the loops run. Called again: another process that sees
    /// the same records; only where `info().shared` holds or `opens_twice` does.
    virtual std::vector<std::unique_ptr<store::Store>> open(std::span<const LoopUnderTest> loops) = 0;

    /// After the loops have stopped and the stores are gone, before the loops are destroyed: gives up what `open` made beside the
    /// stores.
    virtual void close() = 0;

    /// Whether `open` may be called for a second process.
    [[nodiscard]] virtual bool opens_twice() const { return true; }

    /// Forgets all records behind the back of the open stores, as a flushed server does. False where there is no such thing.
    virtual bool wipe() { return false; }
};

/// Defined by the file of the store's kind.
std::unique_ptr<StoreUnderTest> make_store_under_test();

}  // namespace onceward::contract
