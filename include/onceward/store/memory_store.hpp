#pragma once

#include "onceward/store/record_counts.hpp"
#include "onceward/store/store.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace onceward::store {

/// An event loop that uses the memory store.
struct MemoryLoop {
    boost::asio::io_context* loop = nullptr;
    ChangeSink* changes = nullptr;  ///< of this loop; nothing: changes are not reported
};

/// The records of a process, in its memory: gone when it ends. Each event loop owns the shard of the records whose id falls to
/// it, and nobody else touches that shard: a call from another loop is posted there and its reply posted back.
///
/// Made before the loops run, destroyed after they have stopped for good. A loop must go on running while another has a call
/// open.
class MemoryBackend {
public:
    /// Enough for some 200,000 records without large bodies.
    static constexpr std::uint64_t default_capacity_bytes = 256ULL * 1024 * 1024;

    /// When `capacity_bytes` are in use, a claim on a key that has no record is refused as `rejected`; a record is never given up
    /// for another. Answers of executions that already run are still recorded, beyond the capacity if need be.
    explicit MemoryBackend(std::vector<MemoryLoop> loops, std::uint64_t capacity_bytes = default_capacity_bytes);
    ~MemoryBackend();
    MemoryBackend(const MemoryBackend&) = delete;
    MemoryBackend& operator=(const MemoryBackend&) = delete;

    /// Records by state, from any thread. An execution counts as PROCESSING until it is settled or a claim meets it after its
    /// lease; an end of retention is counted when the sweep comes by, within about a second.
    [[nodiscard]] RecordCounts record_counts() const;

    struct Impl;
    [[nodiscard]] Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// The store of the loop at `loop_index` of the backend's list. One a loop; must not outlive the backend.
std::unique_ptr<Store> make_memory_store(MemoryBackend& backend, std::size_t loop_index);

}  // namespace onceward::store
