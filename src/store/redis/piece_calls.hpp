#pragma once

#include "store/redis/operator_calls.hpp"

/// @file
/// Large answers in pieces: `Store::append`, `read_piece` and `discard`.

namespace onceward::store::redis {

Task<Result<guard::PieceVerdict>> append(Server server, const guard::ContentPiece& piece, Deadline deadline);
Task<Result<std::string>> read_piece(Server server, const PieceLookup& lookup, Deadline deadline);
Task<Result<void>> discard(Server server, const PieceLookup& lookup, Deadline deadline);

}  // namespace onceward::store::redis
