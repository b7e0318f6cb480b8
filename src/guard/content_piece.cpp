#include "onceward/guard/content_piece.hpp"

namespace onceward::guard {

std::uint64_t bytes_in_pieces(const Action& action) {
    const auto* complete = std::get_if<Complete>(&action);
    return complete == nullptr ? 0 : complete->response.bytes_in_pieces;
}

PieceVerdict append(const std::optional<Record>& stored, const OwnerToken& owner) {
    if (!stored) {
        return PieceVerdict::appended;
    }
    const bool open = stored->state == RecordState::processing || stored->state == RecordState::unknown;
    return open && stored->owner == owner ? PieceVerdict::appended : PieceVerdict::fenced;
}

}  // namespace onceward::guard
