#include "proxy/pieces.hpp"

#include "proxy/execution.hpp"
#include "proxy/loop.hpp"
#include "proxy/store_call.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using std::chrono::steady_clock;

/// A client that is less far behind gets the content from memory; one that is further, from the store.
constexpr std::uint64_t lag_max = 1024 * 1024;
/// Between two tries, and for how many times `store.timeout` the same is tried: meanwhile the service waits to be read from.
constexpr milliseconds pause{50};
constexpr int timeouts_patience = 2;
/// Pieces outlive the longest execution by this, so that an outage of the store behind it does not cost the answer.
constexpr milliseconds kept_longer{std::chrono::minutes{10}};

bool is_final(const boost::system::error_code& error) {
    return error == store::StoreErrc::corrupt || error == store::StoreErrc::rejected;
}

/// How long the same call is tried.
struct Patience {
    explicit Patience(Loop& of) : loop(of), give_up(steady_clock::now() + timeouts_patience * of.options().store.timeout) {}
    [[nodiscard]] Deadline deadline() const { return std::min(steady_clock::now() + loop.options().store.timeout, give_up); }
    [[nodiscard]] bool is_over(const boost::system::error_code& error) const {
        return is_final(error) || loop.stopping || steady_clock::now() + pause >= give_up;
    }
    Loop& loop;
    Deadline give_up;
};

guard::ContentPiece make_piece(Execution& e, std::size_t size) {
    guard::ContentPiece piece;
    piece.of = {e.command.id, e.command.claim.fence};
    piece.route = e.command.route;
    piece.owner = e.command.claim.owner;
    piece.index = static_cast<std::uint32_t>(e.stored_to / guard::content_piece_bytes);
    piece.bytes = e.content().substr(static_cast<std::size_t>(e.stored_to - e.content_at), size);
    piece.keep = e.rules->options().upstream.execution_timeout + kept_longer;
    return piece;
}

/// Sets `truncated` where the piece can't be stored.
Task<> store_piece(Execution& e, std::size_t size) {
    const auto piece = make_piece(e, size);
    const Patience patience(e.loop);
    for (;;) {
        const auto begun = steady_clock::now();
        const auto reply = co_await e.loop.store->append(piece, patience.deadline());
        e.store_time +=
            observe_store(e.loop, telemetry::StoreOperation::append, begun, reply ? CallResult::answered : CallResult::failed);
        if (reply && *reply == guard::PieceVerdict::appended) {
            e.stored_to += piece.bytes.size();
            break;
        }
        if (reply || e.abandoned || patience.is_over(reply.error())) {
            e.truncated = true;
            if (!reply) {
                warn_store(e.loop, "a large answer could not be stored: its duplicates get RESULT_TOO_LARGE", e.command,
                           reply.error());
            }
            break;
        }
        co_await pause_for(e.loop, pause);
    }
}

/// Whether it will be recorded with its content, as far as can be said now.
bool is_recorded(const Execution& e) {
    const auto& framing = e.response.framing;
    if (framing.kind == http::BodyFraming::Kind::length && framing.length > e.route->max_recorded_body) {
        return false;
    }
    return e.guarded() && !e.truncated && e.route->record_body && e.judgement &&
           e.judgement->outcome == guard::Outcome::completed;
}

}  // namespace

bool has_pieces(Execution& e) {
    return e.content_end() > guard::whole_content_bytes && e.content_end() - e.stored_to >= guard::content_piece_bytes &&
           is_recorded(e);
}

Task<> store_pieces(Execution& e) {
    while (has_pieces(e)) {
        co_await store_piece(e, guard::content_piece_bytes);
        drop_content(e);
    }
}

Task<> store_rest(Execution& e) {
    while (!e.truncated && e.stored_to < e.content_end()) {
        const auto left = e.content_end() - e.stored_to;
        co_await store_piece(e, static_cast<std::size_t>(std::min<std::uint64_t>(left, guard::content_piece_bytes)));
    }
}

void drop_content(Execution& e) {
    auto until = e.delivery.attached ? e.delivery.taken : e.content_end();
    if (!e.truncated) {
        until = std::max(until, e.content_end() - std::min(e.content_end(), lag_max));
        until = std::min(until, e.stored_to);
    }
    if (until > e.content_at) {
        e.content().erase(0, static_cast<std::size_t>(until - e.content_at));
        e.content_at = until;
    }
}

Task<> discard_pieces(Execution& e) {
    while (e.delivery.attached && !e.abandoned) {
        co_await e.delivery.room.wait();
        e.delivery.room.take();
    }
    const store::PieceLookup lookup{{e.command.id, e.command.claim.fence}, e.command.route, 0};
    const auto deadline = steady_clock::now() + e.loop.options().store.timeout;
    // They end by themselves where this is in vain.
    co_await e.loop.store->discard(lookup, deadline);
}

Task<Result<std::string>> read_piece(Loop& loop, const store::PieceLookup& lookup) {
    const Patience patience(loop);
    for (;;) {
        const auto begun = steady_clock::now();
        auto bytes = co_await loop.store->read_piece(lookup, patience.deadline());
        observe_store(loop, telemetry::StoreOperation::read, begun, bytes ? CallResult::answered : CallResult::failed);
        if (bytes || patience.is_over(bytes.error())) {
            co_return bytes;
        }
        co_await pause_for(loop, pause);
    }
}

}  // namespace onceward::proxy
