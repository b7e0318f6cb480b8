#pragma once

#include "onceward/base/spool_file.hpp"
#include "onceward/crypto/sha256.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace onceward::proxy {

/// Content of a guarded request, as received: in memory up to a threshold, beyond that in a temporary file (spec section 4,
/// `spool_threshold`). Where no file can be had, or the disk is full, it stays in memory and a warning says so. Filled once, by
/// `begin`, `append` and `finish`; then read. Of one event loop.
class RequestBody {
public:
    /// `announced`: how much is to come, where that is known.
    void begin(std::uint64_t threshold, std::optional<std::uint64_t> announced);
    void append(std::string_view piece);
    void finish();
    /// Empty again; a small buffer is kept for the next request.
    void clear();
    void swap(RequestBody& other) noexcept;

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    /// Its SHA-256 where that is known without reading it again: of what is in a file.
    [[nodiscard]] const std::optional<Digest>& digest() const { return digest_; }

    /// What stands at `at`: all the rest where it is in memory, else a piece of it. Valid until the next call of this object;
    /// nothing: the file can't be read.
    [[nodiscard]] std::optional<std::string_view> piece(std::uint64_t at);
    /// All of it; `buffer` keeps what is read from a file. Nothing: the file can't be read.
    [[nodiscard]] std::optional<std::string_view> whole(std::string& buffer) const;

private:
    struct Spool {
        base::SpoolFile file;
        crypto::Sha256 digest;
    };

    void start_spool();
    void flush();
    void stay_in_memory();

    std::string memory_;  ///< all of it; with a file what is not written yet, and later the latest piece
    std::unique_ptr<Spool> spool_;
    std::uint64_t threshold_ = 0;
    std::uint64_t size_ = 0;
    std::optional<Digest> digest_;
    bool lost_ = false;  ///< a part of it is in no place any more
};

}  // namespace onceward::proxy
