#pragma once

#include "onceward/guard/command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// @file
/// Large answers in pieces: what is stored of them beside the record, while they are received. Pieces belong to one attempt, by
/// its fence; an answer whose pieces are not all there is never completed with them.

namespace onceward::guard {

/// An answer with at most this much content is recorded with its record, in one step; a larger one in pieces.
constexpr std::uint64_t whole_content_bytes = 1024 * 1024;
/// Of each piece but the last.
constexpr std::size_t content_piece_bytes = 256 * 1024;

/// How many pieces hold `bytes` of content.
constexpr std::uint64_t piece_count(std::uint64_t bytes) {
    return (bytes + content_piece_bytes - 1) / content_piece_bytes;
}

/// The size of piece `index` of `bytes` of content; 0 behind the last.
constexpr std::size_t piece_size(std::uint64_t bytes, std::uint32_t index) {
    const auto begin = std::uint64_t{index} * content_piece_bytes;
    return begin >= bytes ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(bytes - begin, content_piece_bytes));
}

/// Which pieces: those of one attempt.
struct PiecesId {
    RecordId id;
    Fence fence;
    friend auto operator<=>(const PiecesId&, const PiecesId&) = default;
};

/// A piece on its way into the store. Sent again after a lost reply it is the same piece.
struct ContentPiece {
    PiecesId of;
    std::string route;
    OwnerToken owner;         ///< of the claim that executes
    std::uint32_t index = 0;  ///< from 0; piece `index` begins at byte `index * content_piece_bytes`
    std::string bytes;        ///< `content_piece_bytes`, or fewer in the last: never empty
    /// How long this attempt's pieces are kept, from the latest one on, if no record is completed with them. Positive.
    milliseconds keep{0};
};

/// Content that the action completes a record with and that lies in pieces, in bytes; 0 for every other action.
std::uint64_t bytes_in_pieces(const Action& action);

enum class PieceVerdict : std::uint8_t {
    appended,
    fenced  ///< another owner holds the record, or it is settled: nothing was stored
};

/// Decides a piece on `stored`. The owner of a record that the store lost may go on: completing writes the record again.
PieceVerdict append(const std::optional<Record>& stored, const OwnerToken& owner);

}  // namespace onceward::guard
