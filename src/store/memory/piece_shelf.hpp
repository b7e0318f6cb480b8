#pragma once

#include "onceward/guard/content_piece.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace onceward::store {

/// The pieces of large answers in one shard, by attempt. Without I/O and without a clock.
class PieceShelf {
public:
    void put(const guard::ContentPiece& piece, StoreTime until);
    /// Empty when it is not there.
    [[nodiscard]] std::string read(const guard::PiecesId& of, std::uint32_t index, StoreTime now) const;
    /// Whether `bytes` of content are there, each piece of its size.
    [[nodiscard]] bool is_whole(const guard::PiecesId& of, std::uint64_t bytes, StoreTime now) const;
    /// They now end with `until`.
    void keep(const guard::PiecesId& of, StoreTime until);
    void discard(const guard::PiecesId& of);
    /// Drops what has ended.
    void sweep(StoreTime now);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] bool empty() const { return contents_.empty(); }

private:
    struct Content {
        std::vector<std::string> pieces;
        StoreTime until;
    };
    using Contents = std::map<guard::PiecesId, Content>;
    Contents::iterator drop(Contents::iterator content);

    Contents contents_;  ///< few: large answers alone
    std::uint64_t bytes_ = 0;
};

}  // namespace onceward::store
