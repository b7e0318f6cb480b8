#pragma once

#include "onceward/base/result.hpp"
#include "onceward/base/task.hpp"
#include "onceward/guard/content_piece.hpp"
#include "onceward/store/store.hpp"

#include <string>

/// @file
/// A large answer on its way into the store and out of it, in pieces (content_piece.hpp): memory holds a few of them, however
/// large it is and however slowly its client takes it.

namespace onceward::proxy {

class Execution;
struct Loop;

/// Whether the answer is recorded in pieces, and there is a whole one to be stored.
[[nodiscard]] bool has_pieces(Execution& execution);
/// Stores the pieces that are whole. Where the store takes none, the answer is recorded truncated.
Task<> store_pieces(Execution& execution);
/// Stores what is left behind the last of them.
Task<> store_rest(Execution& execution);
/// Drops content that nobody needs in memory any more.
void drop_content(Execution& execution);
/// Takes the pieces of an answer that was not recorded out of the store, once its client needs them no more.
Task<> discard_pieces(Execution& execution);
/// A piece that was stored; empty when it is gone.
Task<Result<std::string>> read_piece(Loop& loop, const store::PieceLookup& lookup);

}  // namespace onceward::proxy
