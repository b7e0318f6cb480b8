#pragma once

#include "onceward/guard/problem.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace onceward::telemetry {

/// One request, as its access line tells it (spec section 9). Views need to live for the call only. Keys, bodies and credentials
/// have no place here.
struct AccessEntry {
    std::string_view route;  ///< empty: no route matched
    std::string_view method;
    std::string_view path;  ///< as received, without query
    int status = 0;         ///< 0: no answer was sent
    guard::IdempotencyStatus idempotency = guard::IdempotencyStatus::passed;
    std::int64_t operation_id = 0;           ///< 0: none
    std::uint32_t attempt = 0;               ///< 0: none
    std::string_view key_hash;               ///< first 16 hex digits of the record id; empty: none
    std::string_view code;                   ///< problem code; empty: none
    bool client_gone = false;                ///< the client had ended its side before the answer was sent
    std::chrono::microseconds upstream{-1};  ///< -1: not asked
    std::chrono::microseconds store{-1};
    std::chrono::microseconds total{0};
    std::uint64_t bytes_in = 0;   ///< request content
    std::uint64_t bytes_out = 0;  ///< response content
    std::string_view request_id;  ///< of X-Request-Id; empty: not to be told
    std::string_view trace_id;    ///< of traceparent; likewise
};

/// Access lines of one event loop: a bounded ring that the loop alone fills and the log writer alone empties, without a lock. A
/// line that does not fit is dropped and counted.
///
/// A line is one JSON object with these members, in this order; those marked ? are left out where there is nothing to tell:
///
///     time                when the line was queued, RFC 3339 in UTC with milliseconds
///     route ?             name; absent when no route matched
///     method, path        as received, without the query; cut after 64 and 2048 bytes, which `...` then marks
///     status              0 when no answer was sent
///     idempotency_status  as in `Idempotency-Status`, or `passed`
///     operation_id ?      decimal, as a string
///     attempt ?           number
///     key_hash ?          the first 16 hexadecimal digits of the record id
///     code ?              of the problem that was answered
///     client_gone ?       true: the client had ended or reset the connection before the answer was sent;
///                         `status` is of the answer that there was for it
///     upstream_ms ?       milliseconds with three decimals, of the upstream's part
///     store_ms ?          of the store's part
///     total_ms            from the first byte of the request to the last of the answer
///     bytes_in, bytes_out content of request and response
///     request_id ?        of `X-Request-Id`, the client's or the one that was made; absent where the client sent its key there
///     trace_id ?          of `traceparent`, likewise
class AccessRing {
public:
    virtual ~AccessRing() = default;
    /// Formats and queues the line. Called by the owning loop only; never blocks, never allocates once warm.
    virtual void write(const AccessEntry& entry) = 0;
};

struct AccessLogOptions {
    bool enabled = true;                  ///< false: no thread, rings swallow everything
    int descriptor = 1;                   ///< standard output; its flags are left as they are, and it is not closed
    std::size_t ring_bytes = 512 * 1024;  ///< of each loop, a power of two; pages that were never reached take no memory
};

/// The one writer of all rings. `ring()` may be called from any thread; rings live as long as the log.
/// Lines reach the descriptor within about 20 ms, in batches. A descriptor that takes nothing fills the rings and blocks nobody.
class AccessLog {
public:
    /// Starts the writer thread (standard output, one JSON object a line). With `enabled` false rings swallow everything.
    explicit AccessLog(bool enabled);
    explicit AccessLog(const AccessLogOptions& options);
    /// Writes what the rings hold, then stops; gives up on a descriptor that takes nothing for a second. Loops have stopped by
    /// then.
    ~AccessLog();
    AccessLog(const AccessLog&) = delete;
    AccessLog& operator=(const AccessLog&) = delete;

    AccessRing& ring();
    /// Lines that a ring or the descriptor did not take.
    [[nodiscard]] std::uint64_t dropped() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace onceward::telemetry
