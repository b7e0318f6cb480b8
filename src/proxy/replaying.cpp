#include "proxy/replaying.hpp"

#include "onceward/reply/replay.hpp"
#include "proxy/loop.hpp"
#include "proxy/pieces.hpp"
#include "proxy/session.hpp"

namespace onceward::proxy {

namespace {

using guard::ProblemCode;

void note_replay(Session& s, const guard::Record& record) {
    s.tally.status = record.response->status;
    s.tally.idempotency = guard::IdempotencyStatus::replayed;
}

/// `s.out` holds the head.
Task<> send_pieces(Session& s, const guard::Record& record, std::uint64_t bytes) {
    store::PieceLookup lookup{{s.claim.id, record.fence}, s.claim.route, 0};
    for (; lookup.index < guard::piece_count(bytes); ++lookup.index) {
        const auto begun = std::chrono::steady_clock::now();
        const auto piece = co_await read_piece(s.loop, lookup);
        s.tally.add_store(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun));
        const bool first = lookup.index == 0;
        if (!piece || piece->size() != guard::piece_size(bytes, lookup.index)) {
            // The client must see that it did not get all.
            if (!first) {
                s.break_off();
                co_return;
            }
            co_await s.refuse_for_now(piece ? ProblemCode::store_corrupt : ProblemCode::store_unavailable);
            co_return;
        }
        if (first) {
            note_replay(s, record);
        }
        s.tally.bytes_out += piece->size();
        const net::Stream::Buffers buffers{
            net::buffer_of(first ? std::string_view(s.out) : std::string_view{}), net::buffer_of(*piece), {}};
        const bool sent = co_await s.send(buffers);
        if (!sent) {
            co_return;
        }
    }
}

}  // namespace

Task<> replay(Session& s, const guard::Record& record) {
    s.tally.operation_id = record.operation_id.value;
    s.tally.attempt = record.attempt.value;
    s.out.clear();
    const reply::Replay replay{record, s.head, s.connection_use(), s.loop.date(), &s.options().cors};
    if (reply::append_replay_head(s.out, replay) != reply::ReplayError::none) {
        co_await s.refuse_for_now(ProblemCode::store_corrupt);
        co_return;
    }
    const auto in_pieces = reply::replay_bytes_in_pieces(replay);
    if (in_pieces > 0) {
        co_await send_pieces(s, record, in_pieces);
        co_return;
    }
    const auto content = reply::replay_body(replay);
    note_replay(s, record);
    s.tally.bytes_out = content.size();
    co_await s.send({net::buffer_of(s.out), net::buffer_of(content), {}});
}

}  // namespace onceward::proxy
