#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace onceward::base {

/// A temporary file without a name: it is gone with this process, whatever happens. Of one thread. Writing goes to the page
/// cache, and blocks only where the kernel makes who writes much wait for the disk.
class SpoolFile {
public:
    /// In $TMPDIR; without that in /var/tmp, else in /tmp. Nothing where no file can be had; `errno` says why.
    static std::optional<SpoolFile> open();

    SpoolFile(SpoolFile&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), size_(std::exchange(other.size_, 0)) {}
    SpoolFile& operator=(SpoolFile&&) = delete;
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;
    ~SpoolFile();

    /// All of it, or false with `errno`: what was there before is still there.
    [[nodiscard]] bool append(std::string_view bytes);
    /// The `size` bytes from `at` on; false with `errno`.
    [[nodiscard]] bool read(std::uint64_t at, char* into, std::size_t size) const;
    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    explicit SpoolFile(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
    std::uint64_t size_ = 0;
};

}  // namespace onceward::base
