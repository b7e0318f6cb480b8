#pragma once

#include "onceward/base/time.hpp"

#include <atomic>
#include <string_view>

namespace onceward::telemetry {

/// Writes lines to a descriptor of the process (standard output) that may be slow, stuck or gone, without changing its
/// flags: other processes share them. One thread writes; `give_up_after` may be called by any.
class LineWriter {
public:
    explicit LineWriter(int descriptor);
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    /// Waits for the reader as long as it takes. Returns what could not be written: everything from the first byte that met an
    /// error, or from the moment to give up. Lines that go into a pipe go in whole, so that other writers of the pipe do not cut
    /// them.
    [[nodiscard]] std::string_view write(std::string_view lines);

    /// From now on waits at most this long in total.
    void give_up_after(milliseconds patience);

private:
    [[nodiscard]] bool wait_writable();

    int descriptor_;
    int wake_;  // readable once there is a moment to give up
    bool is_socket_ = false;
    std::size_t chunk_bytes_;
    std::atomic<Deadline::rep> give_up_at_;
};

/// Keeps the process's signals away from the calling thread, and `SIGPIPE` from killing the process: the write fails instead.
void block_signals();

}  // namespace onceward::telemetry
