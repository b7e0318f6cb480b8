#include "onceward/guard/content_piece.hpp"

namespace onceward::guard {

PieceVerdict append(const std::optional<Record>& stored, const OwnerToken& owner) {
    if (!stored) {
        return PieceVerdict::appended;
    }
    const bool open = stored->state == RecordState::processing || stored->state == RecordState::unknown;
    return open && stored->owner == owner ? PieceVerdict::appended : PieceVerdict::fenced;
}

}  // namespace onceward::guard
