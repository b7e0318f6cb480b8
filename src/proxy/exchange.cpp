#include "onceward/base/ascii.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/route/target.hpp"
#include "proxy/execution.hpp"
#include "proxy/loop.hpp"
#include "proxy/pieces.hpp"
#include "proxy/spawn.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using guard::Ending;
using guard::EndKind;
using std::chrono::steady_clock;

/// Content that the client may lag behind while nothing is recorded any more.
constexpr std::size_t window_bytes = 256 * 1024;
/// An answer that ends within this is held whole until it is recorded (spec section 2.7).
constexpr std::size_t held_bytes = 64 * 1024;

/// Before the first byte: is there enough of the lease left to send under? A courtesy, not the guarantee (protocol section 7.2).
bool lease_holds(const Execution& e) {
    return !e.guarded() || steady_clock::now() + e.command.lifetimes.lease / 10 < e.lease_until;
}

/// The part of a request that the socket did not take at once, while the answer is already being read.
Task<> send_rest(ExecutionPtr execution) {
    auto& e = *execution;
    auto written = co_await e.slot.stream().write(e.unsent);
    while (!written.ec && e.body_sent < e.request_body.size()) {
        const auto piece = e.request_body.piece(e.body_sent);
        if (!piece) {
            // Without its end the upstream must never take the request for a whole one.
            e.slot.stream().close();
            break;
        }
        e.body_sent += piece->size();
        written = co_await e.slot.stream().write(*piece);
    }
    e.sending = false;
    e.sent.set();
}

/// One try to hand the request to the socket, or its first piece. False: not one byte was taken, so that nothing can have been
/// executed. Nor can a connection that is full be waited for: the service, which did not read what it answered before, could
/// answer once more, and that would be taken for the answer to what it never got.
bool try_send(Execution& e) {
    const auto piece = e.request_body.piece(0);
    if (!piece) {
        return false;
    }
    e.body_sent = piece->size();
    const net::Stream::Buffers request{net::buffer_of(e.request_head), net::buffer_of(*piece), {}};
    const auto written = e.slot.stream().write_now(request);
    if (written.bytes == 0) {
        return false;
    }
    e.unsent = net::after(request, written.bytes);
    if (net::size_of(e.unsent) > 0 || e.body_sent < e.request_body.size()) {
        e.sending = true;
        spawn(e.loop, send_rest(ExecutionPtr(&e)));
    }
    return true;
}

/// Opens a connection if need be and starts to send. Nothing: the request is under way.
Task<std::optional<EndKind>> start_sending(Execution& e) {
    for (;;) {
        if (!e.slot.ready()) {
            const auto ec = co_await e.slot.connect();
            if (ec) {
                co_return EndKind::not_sent;
            }
        }
        if (e.abandoned || !lease_holds(e)) {
            co_return EndKind::lease_too_short;
        }
        const bool pooled = e.slot.was_idle();
        if (try_send(e)) {
            co_return std::nullopt;
        }
        if (!pooled) {
            co_return EndKind::not_sent;
        }
        e.slot.disconnect();  // it was closed under us; another is tried
    }
}

/// The common case, without a coroutine of its own.
bool sent_at_once(Execution& e) {
    return e.slot.ready() && !e.abandoned && lease_holds(e) && try_send(e);
}

/// No head came in `response_timeout`: the client is told, the owner goes on listening.
void tell_timeout(Execution& e) {
    e.delivery.problem = guard::ProblemCode::upstream_timeout;
    e.delivery.status = e.guarded() ? guard::IdempotencyStatus::processing : guard::IdempotencyStatus::unguarded;
    e.delivery.retry_after = std::max<milliseconds>(seconds{1}, e.command.lifetimes.lease / 3);
    e.show(DeliveryStage::refused);
}

/// What a read that failed means.
EndKind end_of(Execution& e, EndKind otherwise) {
    if (e.abandoned) {
        return EndKind::shutdown;
    }
    return e.slot.stream().timed_out() ? EndKind::deadline : otherwise;
}

void judge_head(Execution& e) {
    std::vector<std::string_view> declared;
    e.response.headers.for_each_value("Idempotency-Outcome", [&](std::string_view value) { declared.push_back(value); });
    guard::Answer answer{e.response.status, declared, false};
    if (e.response.status == 307 || e.response.status == 308) {
        const auto location = e.response.headers.find("Location");
        answer.redirects_to_itself =
            location.data() != nullptr &&
            route::names_target_of(e.request, location,
                                   e.route->case_sensitive ? route::PathCase::kept : route::PathCase::folded);
    }
    e.judgement = guard::judge(answer, e.route->outcomes);
}

enum class HeadsTaken { interim_at_most, final, not_http };

/// Takes the heads that have arrived, up to the final one; interim ones go to the client.
HeadsTaken take_heads(Execution& e) {
    auto& stream = e.slot.stream();
    for (;;) {
        const auto result = e.parser.parse_head(stream.buffered(), e.response);
        if (result.state == http::ParseState::need_more) {
            return HeadsTaken::interim_at_most;
        }
        if (result.state == http::ParseState::failed || e.response.status == 101) {
            return HeadsTaken::not_http;
        }
        stream.consume(result.consumed);
        if (!http::is_interim(e.response.status)) {
            return HeadsTaken::final;
        }
        if (e.response.status != 100 && e.delivery.attached) {
            http::append_interim_head(e.delivery.interim, e.response);
            e.delivery.changed.set();
        }
    }
}

/// Reads heads until the final one.
Task<std::optional<EndKind>> receive_head(Execution& e) {
    auto& stream = e.slot.stream();
    const auto& limits = e.rules->options().upstream;
    const auto give_up = net::Deadlines::from_now(limits.execution_timeout);
    bool told = false;
    // A pooled connection was seen empty just before the request went out.
    auto look = e.slot.was_idle() ? net::Look::later : net::Look::first;
    stream.expires_at(std::min(net::Deadlines::from_now(limits.response_timeout), give_up));
    e.parser.restart(e.request.method);
    for (;;) {
        const auto taken = take_heads(e);
        if (taken == HeadsTaken::not_http) {
            co_return EndKind::not_http;
        }
        if (taken == HeadsTaken::final) {
            break;
        }
        const auto ec = co_await stream.fill(net::Stream::read_size, look);
        look = net::Look::first;
        if (ec && stream.timed_out() && !told && !e.abandoned && steady_clock::now() < give_up) {
            told = true;
            tell_timeout(e);
            stream.expires_at(give_up);
            continue;
        }
        if (ec) {
            co_return end_of(e, EndKind::lost);
        }
    }
    if (!e.response.headers.contains("Date")) {
        // RFC 9110 section 6.6.1; here, so that a replay knows what the first answer said.
        e.response.headers.add("Date", e.loop.date());
    }
    stream.expires_at(give_up);
    co_return std::nullopt;
}

bool flows_at_once(Execution& e) {
    return e.content_end() > held_bytes ||
           base::iequals(base::trim(e.response.headers.find("Content-Type").substr(0, 17)), "text/event-stream");
}

/// Keeps content for the record while it may become one, and for the client as long as it has not taken it.
void keep(Execution& e, std::string_view piece) {
    e.digest.update(piece);
    auto& content = e.content();
    content.append(piece);
    if (!e.truncated && e.content_end() > e.route->max_recorded_body) {
        e.truncated = true;
    }
}

/// Waits until the client has taken enough, once the content is only kept for it.
Task<> wait_for_room(Execution& e) {
    drop_content(e);
    while (e.truncated && e.delivery.attached && !e.abandoned && e.content().size() > window_bytes) {
        co_await e.delivery.room.wait();
        e.delivery.room.take();
        drop_content(e);
    }
}

Task<std::optional<EndKind>> receive_content(Execution& e) {
    auto& stream = e.slot.stream();
    for (;;) {
        const auto result = e.parser.parse_body(stream.buffered(), [&](std::string_view piece) { keep(e, piece); });
        stream.consume(result.consumed);
        if (result.state == http::ParseState::failed) {
            co_return EndKind::cut;
        }
        if (result.state == http::ParseState::done) {
            co_return std::nullopt;
        }
        if (e.delivery.stage == DeliveryStage::streaming) {
            e.delivery.changed.set();
        } else if (e.delivery.stage == DeliveryStage::waiting && flows_at_once(e)) {
            e.delivery.status =
                e.guarded() ? guard::status_of(e.judgement->outcome, e.command.claim.may) : guard::IdempotencyStatus::unguarded;
            e.show(DeliveryStage::streaming);
        }
        if (has_pieces(e)) {
            co_await store_pieces(e);
        }
        if (e.truncated) {
            co_await wait_for_room(e);
        }
        if (e.abandoned) {
            co_return EndKind::shutdown;
        }
        const auto ec = co_await stream.fill(
            std::max<std::size_t>(net::Stream::read_size, std::min<std::uint64_t>(65536, e.parser.body().remaining())));
        if (ec == asio::error::eof && e.parser.on_eof() == http::ParseState::done) {
            co_return std::nullopt;
        }
        if (ec) {
            co_return end_of(e, EndKind::cut);
        }
    }
}

Task<std::optional<EndKind>> receive(Execution& e) {
    auto failed = co_await receive_head(e);
    if (!failed) {
        judge_head(e);
        e.digest = crypto::Sha256{};
        failed = co_await receive_content(e);
    }
    co_return failed;
}

/// A connection goes back to the pool only when nothing of this exchange can turn up on it any more.
void finish_connection(Execution& e, bool whole) {
    auto& stream = e.slot.stream();
    stream.never_expires();
    if (whole && !e.sending && e.response.keep_alive && stream.buffered().empty()) {
        e.slot.mark_reusable();
    } else {
        stream.close();
    }
}

}  // namespace

Task<Ending> exchange(Execution& e) {
    std::optional<EndKind> failed;
    if (!sent_at_once(e)) {
        failed = co_await start_sending(e);
    }
    if (!failed) {
        failed = co_await receive(e);
        e.upstream_time = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - e.started);
        finish_connection(e, !failed);
        if (e.sending) {
            co_await e.sent.wait();
            e.sent.take();
        }
    }
    Ending ending;
    ending.kind = failed.value_or(EndKind::answered);
    if (e.judgement) {
        ending.judgement = *e.judgement;
    }
    co_return ending;
}

}  // namespace onceward::proxy
