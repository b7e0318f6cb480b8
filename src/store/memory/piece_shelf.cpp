#include "store/memory/piece_shelf.hpp"

namespace onceward::store {

void PieceShelf::put(const guard::ContentPiece& piece, StoreTime until) {
    auto& content = contents_[piece.of];
    content.until = until;
    if (content.pieces.size() <= piece.index) {
        content.pieces.resize(piece.index + std::size_t{1});
    }
    auto& held = content.pieces[piece.index];
    bytes_ += piece.bytes.size() - held.size();
    held = piece.bytes;
}

std::string PieceShelf::read(const guard::PiecesId& of, std::uint32_t index, StoreTime now) const {
    const auto content = contents_.find(of);
    const bool there = content != contents_.end() && now < content->second.until && index < content->second.pieces.size();
    return there ? content->second.pieces[index] : std::string{};
}

bool PieceShelf::is_whole(const guard::PiecesId& of, std::uint64_t bytes, StoreTime now) const {
    const auto content = contents_.find(of);
    if (content == contents_.end() || now >= content->second.until ||
        content->second.pieces.size() != guard::piece_count(bytes)) {
        return false;
    }
    std::uint32_t index = 0;
    for (const auto& piece : content->second.pieces) {
        if (piece.size() != guard::piece_size(bytes, index++)) {
            return false;
        }
    }
    return true;
}

void PieceShelf::keep(const guard::PiecesId& of, StoreTime until) {
    const auto content = contents_.find(of);
    if (content != contents_.end()) {
        content->second.until = until;
    }
}

void PieceShelf::discard(const guard::PiecesId& of) {
    const auto content = contents_.find(of);
    if (content != contents_.end()) {
        drop(content);
    }
}

void PieceShelf::sweep(StoreTime now) {
    for (auto content = contents_.begin(); content != contents_.end();) {
        content = content->second.until <= now ? drop(content) : std::next(content);
    }
}

PieceShelf::Contents::iterator PieceShelf::drop(Contents::iterator content) {
    for (const auto& piece : content->second.pieces) {
        bytes_ -= piece.size();
    }
    return contents_.erase(content);
}

}  // namespace onceward::store
