#include "onceward/http/chunked.hpp"
#include "onceward/http/forward.hpp"
#include "proxy/loop.hpp"
#include "proxy/passage.hpp"
#include "proxy/spawn.hpp"

namespace onceward::proxy {

namespace {

using guard::ProblemCode;
using http::BodyFraming;
using http::ParseState;

constexpr std::size_t piece_bytes = 64 * 1024;

}  // namespace

void Passage::append_request() {
    const auto& options = s_.options();
    up_.clear();
    http::append_request_head(up_, {.head = s_.head,
                                    .framing = s_.body_is_read ? s_.buffered_framing() : s_.head.framing,
                                    .client = s_.client(),
                                    .default_host = s_.plan().default_host,
                                    .forwarded = options.forwarded,
                                    .claim = {},
                                    .key_headers = {},
                                    .forward_key = nullptr,
                                    .read_headers = {},
                                    .new_traceparent = s_.new_traceparent(),
                                    .new_request_id = s_.new_request_id(),
                                    .tunnel = websocket_ ? http::Tunnel::websocket : http::Tunnel::no});
}

/// Moves content that has arrived into `up_`; false: it is malformed.
bool Passage::take_buffered_body() {
    const bool chunked = s_.head.framing.kind == BodyFraming::Kind::chunked;
    const auto result = s_.parser.parse_body(s_.stream.buffered(), [&](std::string_view piece) {
        s_.tally.bytes_in += piece.size();
        if (chunked) {
            http::append_chunk(up_, piece);
        } else {
            up_.append(piece);
        }
    });
    s_.stream.consume(result.consumed);
    if (result.state == ParseState::done) {
        body_taken_ = true;
        if (chunked) {
            http::append_last_chunk(up_, {s_.parser.body().trailers(), s_.head.headers});
        }
    }
    return result.state != ParseState::failed;
}

/// Moves a piece of the content that was read already into `up_`; false: it can't be read again.
bool Passage::take_read_body() {
    const auto piece = s_.body.piece(body_at_);
    if (piece) {
        up_.append(*piece);
        body_at_ += piece->size();
        body_taken_ = body_at_ == s_.body.size();
    }
    body_lost_ = !piece;
    return piece.has_value();
}

/// Only what can't have been executed, or may be twice, goes out again (RFC 9110 section 9.2.2), and only what is still there
/// from its first byte: content that followed in pieces would reach the service as a request of its own.
bool Passage::may_resend() const {
    const auto& method = s_.head.method;
    return up_is_whole_ && !websocket_ && !s_.loop.grace_over && (method == "GET" || method == "HEAD" || method == "OPTIONS");
}

/// Sends the head and what is there of the content in one write. A connection that takes none of it at once is not waited for: it
/// is closed, or full of what the service did not read.
Task<Passage::Sent> Passage::send_request() {
    auto& stream = slot_.stream();
    const net::Stream::Buffers request{net::buffer_of(up_), {}, {}};
    const auto written = stream.write_now(request);
    if (written.bytes == 0) {
        co_return Sent::nothing;
    }
    if (written.ec != asio::error::would_block) {
        co_return written.ec ? Sent::in_part : Sent::all;
    }
    stream.expires_after(s_.options().limits.body_timeout);
    const auto rest = co_await stream.write(net::after(request, written.bytes));
    co_return rest.ec ? Sent::in_part : Sent::all;
}

Task<bool> Passage::upload_piece() {
    const auto& limits = s_.options().limits;
    up_.clear();
    if (!s_.body_is_read && s_.stream.buffered().empty()) {
        s_.stream.expires_after(limits.body_timeout);
        const auto ec = co_await s_.stream.fill(piece_bytes);
        if (ec) {
            upload_stalled_ = s_.stream.timed_out();
            client_left_ = !upload_stalled_ && !stop_upload_;
            co_return false;
        }
    }
    if (stop_upload_) {
        co_return false;
    }
    if (!(s_.body_is_read ? take_read_body() : take_buffered_body())) {
        co_return false;
    }
    if (!up_.empty()) {
        slot_.stream().expires_after(limits.body_timeout);
        const auto written = co_await slot_.stream().write(up_);
        if (written.ec) {
            // The upstream takes no more: it may have answered early, and that answer counts.
            co_return false;
        }
    }
    co_return true;
}

/// Lets the rest of the content follow.
Task<> Passage::start_upload(Sent sent) {
    if (sent == Sent::in_part || body_taken_) {
        upload_failed_ = sent == Sent::in_part;
        slot_.stream().expires_after(s_.options().upstream.response_timeout);
    } else {
        if (s_.head.expects_continue && s_.tally.bytes_in == 0) {
            co_await s_.send({net::buffer_of(http::continue_response), {}, {}});
        }
        uploading_ = true;
        slot_.stream().never_expires();
        spawn(s_.loop, upload());
    }
}

/// The rest of the content, while the answer may already be coming.
Task<> Passage::upload() {
    bool going = true;
    while (going && !body_taken_ && !stop_upload_) {
        going = co_await upload_piece();
    }
    s_.stream.never_expires();
    // The last piece may have been taken and not gone out whole.
    upload_failed_ = !going || !body_taken_;
    uploading_ = false;
    if (client_left_ || upload_stalled_ || body_lost_ || s_.parser.body_state() == ParseState::failed) {
        // Without its end the upstream must never take the request for a whole one.
        slot_.stream().close();
    } else {
        slot_.stream().expires_after(s_.options().upstream.response_timeout);
    }
    uploaded_.set();
}

/// Stops an upload that outlived its answer.
Task<> Passage::finish_upload() {
    if (uploading_) {
        stop_upload_ = true;
        s_.stream.cancel();
        slot_.stream().cancel();
        co_await uploaded_.wait();
        uploaded_.take();
    }
}

Task<> Passage::run() {
    slot_ = co_await s_.loop.pool.acquire(upstream::Freshness::pooled);
    if (!slot_.valid()) {
        co_await s_.refuse_for_now(ProblemCode::overloaded);
        co_return;
    }
    append_request();
    if (!(s_.body_is_read ? take_read_body() : take_buffered_body())) {
        co_await s_.refuse(s_.body_is_read ? ProblemCode::overloaded : ProblemCode::bad_request);
        co_return;
    }
    up_is_whole_ = body_taken_;
    begun_ = std::chrono::steady_clock::now();
    for (;;) {
        if (!slot_.ready()) {
            const auto ec = co_await slot_.connect();
            if (ec) {
                begun_.reset();
                co_await s_.refuse_unreachable();
                co_return;
            }
        }
        const bool reused = slot_.was_idle();
        const auto sent = co_await send_request();
        if (sent == Sent::nothing && (!reused || s_.loop.grace_over)) {
            co_await s_.refuse(ProblemCode::upstream_lost);
            co_return;
        }
        if (sent != Sent::nothing) {
            co_await start_upload(sent);
            const auto problem = co_await receive_head();
            if (!problem) {
                co_await answer();
                co_return;
            }
            const bool stale = reused && problem == ProblemCode::upstream_lost && slot_.stream().buffered().empty();
            if (!stale || !may_resend()) {
                co_await give_up(*problem);
                co_return;
            }
        }
        slot_.disconnect();
    }
}

Task<> pass_through(Session& s) {
    const auto begun = std::chrono::steady_clock::now();
    Passage passage(s);
    co_await passage.run();
    const auto now = std::chrono::steady_clock::now();
    s.tally.upstream = std::chrono::duration_cast<std::chrono::microseconds>(now - begun);
    if (const auto sent = passage.begun()) {
        s.rules()->route_metrics[s.tally.route_index]->upstream_seconds.observe(
            std::chrono::duration_cast<std::chrono::microseconds>(now - *sent));
    }
}

}  // namespace onceward::proxy
