#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace onceward::telemetry {

/// Lines on their way from one thread, the only one that calls `push`, to another, the only one that calls `pop`. Without a lock
/// and of fixed size; pages of it that no line has reached yet cost nothing.
class LineRing {
public:
    /// `capacity` is a power of two.
    explicit LineRing(std::size_t capacity);

    /// Takes `line`, which ends in a newline, whole or not at all.
    [[nodiscard]] bool push(std::string_view line);
    /// Moves as many whole lines as fit to `out` and returns their bytes.
    std::size_t pop(char* out, std::size_t size);

    [[nodiscard]] std::size_t used() const;
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

private:
    void copy_in(std::size_t at, std::string_view line);
    void copy_out(std::size_t at, char* out, std::size_t size) const;

    std::size_t capacity_;
    std::unique_ptr<char[]> bytes_;
    // Counts of bytes ever pushed and popped, apart so that the two threads do not fight for one cache line.
    alignas(64) std::atomic<std::size_t> pushed_{0};
    alignas(64) std::atomic<std::size_t> popped_{0};
};

}  // namespace onceward::telemetry
