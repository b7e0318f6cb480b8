#pragma once

#include "onceward/guard/problem.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace onceward::telemetry {

/// One request, as its access line tells it (spec section 9). Views need to live for the call only. Keys, bodies and credentials
/// have no place here.
struct AccessEntry {
    std::string_view route;    ///< empty: no route matched
    std::string_view method;
    std::string_view path;     ///< as received, without query
    int status = 0;            ///< 0: no answer was sent
    guard::IdempotencyStatus idempotency = guard::IdempotencyStatus::passed;
    std::int64_t operation_id = 0;  ///< 0: none
    std::uint32_t attempt = 0;      ///< 0: none
    std::string_view key_hash;      ///< first 16 hex digits of the record id; empty: none
    std::string_view code;          ///< problem code; empty: none
    std::chrono::microseconds upstream{-1};  ///< -1: not asked
    std::chrono::microseconds store{-1};
    std::chrono::microseconds total{0};
    std::uint64_t bytes_in = 0;   ///< request content
    std::uint64_t bytes_out = 0;  ///< response content
    std::string_view trace_id;    ///< of traceparent
};

/// Access lines of one event loop: a bounded ring that the loop alone fills and the log writer alone empties, without a lock. A line that
/// does not fit is dropped and counted.
class AccessRing;

/// The one writer of all rings. `ring()` may be called from any thread before traffic starts.
class AccessLog {
public:
    /// Starts the writer thread (standard output, one JSON object a line). With `enabled` false rings swallow everything.
    explicit AccessLog(bool enabled);
    ~AccessLog();  ///< writes what the rings hold, then stops
    AccessLog(const AccessLog&) = delete;
    AccessLog& operator=(const AccessLog&) = delete;

    AccessRing& ring();
    [[nodiscard]] std::uint64_t dropped() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

class AccessRing {
public:
    virtual ~AccessRing() = default;
    /// Formats and queues the line. Called by the owning loop only; never blocks, never allocates once warm.
    virtual void write(const AccessEntry& entry) = 0;
};

}  // namespace onceward::telemetry
