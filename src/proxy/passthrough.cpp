#include "onceward/base/ascii.hpp"
#include "onceward/http/chunked.hpp"
#include "onceward/http/forward.hpp"
#include "proxy/loop.hpp"
#include "proxy/session.hpp"
#include "proxy/spawn.hpp"
#include "proxy/tunnel.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using guard::ProblemCode;
using http::BodyFraming;
using http::ParseState;

constexpr std::size_t piece_bytes = 64 * 1024;

/// One unguarded request on its way up and its answer on the way down.
class Passage {
public:
    explicit Passage(Session& session)
        : s_(session),
          websocket_(session.head.upgrade_websocket),
          parser_(http::response_head_limits),
          uploaded_(session.loop.io) {}

    Task<> run();

private:
    enum class Sent : std::uint8_t { all, in_part, nothing };

    void append_request();
    bool take_buffered_body();
    Task<Sent> send_request();
    Task<> start_upload(Sent sent);
    Task<> upload();
    Task<bool> upload_piece();
    Task<> finish_upload();

    Task<std::optional<ProblemCode>> receive_head();
    Task<bool> relay_content();
    Task<bool> flush(std::string_view end);
    void append_answer_head();
    Task<> answer();
    Task<> switch_protocols();
    Task<> give_up(ProblemCode problem);
    [[nodiscard]] bool may_resend() const;

    Session& s_;
    upstream::Slot slot_;
    bool websocket_;
    http::ResponseParser parser_;
    http::ResponseHead response_;
    http::ResponsePlan plan_;
    std::string up_;          ///< bytes for the upstream
    bool body_taken_ = false; ///< all request content is in `up_`, or sent
    bool uploading_ = false;
    bool upload_failed_ = false;
    bool upload_stalled_ = false;
    bool stop_upload_ = false;
    bool client_left_ = false;
    net::Event uploaded_;
};

BodyFraming forwarded_framing(const Session& s) {
    if (s.body_is_read) {
        return {s.body.empty() && s.head.framing.kind == BodyFraming::Kind::none ? BodyFraming::Kind::none : BodyFraming::Kind::length,
                s.body.size()};
    }
    return s.head.framing;
}

void Passage::append_request() {
    const auto& options = s_.loop.options();
    up_.clear();
    http::append_request_head(up_, {.head = s_.head,
                                    .framing = forwarded_framing(s_),
                                    .client = s_.client(),
                                    .default_host = s_.loop.plan.default_host,
                                    .forwarded = options.forwarded,
                                    .claim = {},
                                    .key_headers = {},
                                    .forward_key = nullptr,
                                    .read_headers = {},
                                    .new_traceparent = s_.new_traceparent(),
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
            http::append_last_chunk(up_, s_.parser.body().trailers());
        }
    }
    return result.state != ParseState::failed;
}

/// Only what can't have been executed, or may be twice, goes out again (RFC 9110 section 9.2.2).
bool Passage::may_resend() const {
    const auto& method = s_.head.method;
    return body_taken_ && !websocket_ && (method == "GET" || method == "HEAD" || method == "OPTIONS");
}

/// Sends the head and what is there of the content in one write.
Task<Passage::Sent> Passage::send_request() {
    auto& stream = slot_.stream();
    stream.expires_after(s_.loop.options().limits.body_timeout);
    const auto written = co_await stream.write(up_);
    if (!written.ec) {
        co_return Sent::all;
    }
    co_return written.bytes == 0 ? Sent::nothing : Sent::in_part;
}

Task<bool> Passage::upload_piece() {
    const auto& limits = s_.loop.options().limits;
    up_.clear();
    if (s_.stream.buffered().empty()) {
        s_.stream.expires_after(limits.body_timeout);
        const auto ec = co_await s_.stream.fill(piece_bytes);
        if (ec) {
            upload_stalled_ = s_.stream.timed_out();
            client_left_ = !upload_stalled_ && !stop_upload_;
            co_return false;
        }
    }
    if (!take_buffered_body()) {
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
        slot_.stream().expires_after(s_.loop.options().upstream.response_timeout);
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
    upload_failed_ = !body_taken_;
    uploading_ = false;
    if (client_left_ || upload_stalled_ || s_.parser.body_state() == ParseState::failed) {
        // Without its end the upstream must never take the request for a whole one.
        slot_.stream().close();
    } else {
        slot_.stream().expires_after(s_.loop.options().upstream.response_timeout);
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

/// Reads heads until the final one. Nothing: it is there.
Task<std::optional<ProblemCode>> Passage::receive_head() {
    auto& stream = slot_.stream();
    parser_.restart(s_.head.method);
    for (;;) {
        const auto result = parser_.parse_head(stream.buffered(), response_);
        if (result.state == ParseState::failed) {
            co_return ProblemCode::upstream_lost;
        }
        if (result.state == ParseState::done) {
            stream.consume(result.consumed);
            if (!http::is_interim(response_.status)) {
                co_return std::nullopt;
            }
            if (response_.status != 100 && s_.head.version == http::Version::http_1_1) {
                s_.out.clear();
                http::append_interim_head(s_.out, response_);
                const bool sent = co_await s_.send_out();
                if (!sent) {
                    co_return ProblemCode::upstream_lost;
                }
            }
            continue;
        }
        const auto ec = co_await stream.fill();
        if (ec) {
            co_return stream.timed_out() ? ProblemCode::upstream_timeout : ProblemCode::upstream_lost;
        }
    }
}

void Passage::append_answer_head() {
    plan_ = http::plan_response(response_, s_.head);
    if (uploading_ || upload_failed_ || s_.connection_use() == http::ConnectionUse::close) {
        plan_.connection = http::ConnectionUse::close;
    }
    if (plan_.connection == http::ConnectionUse::close) {
        s_.close_behind();
    }
    s_.out.clear();
    http::append_response_head(s_.out, {.head = response_,
                                        .request = s_.head,
                                        .plan = plan_,
                                        .date = s_.loop.date(),
                                        .cors = &s_.loop.options().cors,
                                        .added_lines = {}});
    s_.tally.status = response_.status;
}

Task<bool> Passage::flush(std::string_view end) {
    bool sent = true;
    if (!s_.out.empty() || !end.empty()) {
        sent = co_await s_.send({net::buffer_of(s_.out), net::buffer_of(end), {}});
        s_.out.clear();
    }
    co_return sent;
}

/// Content as it comes: what one read brought goes out in one write. False: it broke off, on either side.
Task<bool> Passage::relay_content() {
    auto& stream = slot_.stream();
    const bool chunked = plan_.framing.kind == BodyFraming::Kind::chunked && s_.head.method != "HEAD";
    for (;;) {
        const auto result = parser_.parse_body(stream.buffered(), [&](std::string_view piece) {
            s_.tally.bytes_out += piece.size();
            if (chunked) {
                http::append_chunk(s_.out, piece);
            } else {
                s_.out.append(piece);
            }
        });
        stream.consume(result.consumed);
        auto state = result.state;
        if (state == ParseState::need_more) {
            const bool sent = co_await flush({});
            if (!sent) {
                co_return false;
            }
            if (!uploading_) {
                stream.expires_after(s_.loop.options().upstream.execution_timeout);
            }
            const auto ec = co_await stream.fill(piece_bytes);
            if (!ec) {
                continue;
            }
            state = ec == asio::error::eof ? parser_.on_eof() : ParseState::failed;
        }
        if (state == ParseState::failed) {
            co_return false;
        }
        std::string end;
        if (chunked) {
            http::append_last_chunk(end, parser_.body().trailers());
        }
        const bool sent = co_await flush(end);
        co_return sent;
    }
}

/// No answer can be had.
Task<> Passage::give_up(ProblemCode problem) {
    co_await finish_upload();
    if (client_left_) {
        s_.break_off();
    } else if (s_.parser.body_state() == ParseState::failed) {
        co_await s_.refuse(ProblemCode::bad_request);
    } else {
        co_await s_.refuse(upload_stalled_ ? ProblemCode::request_timeout : problem);
    }
}

/// The head is there: passes the answer on.
Task<> Passage::answer() {
    if (response_.status == 101) {
        co_await switch_protocols();
        co_return;
    }
    append_answer_head();
    const bool whole = co_await relay_content();
    const bool early = uploading_;
    co_await finish_upload();
    if (!whole) {
        s_.break_off();
        co_return;
    }
    slot_.stream().never_expires();
    if (!early && !upload_failed_ && response_.keep_alive && slot_.stream().buffered().empty()) {
        slot_.mark_reusable();
    }
}

Task<> Passage::switch_protocols() {
    if (!websocket_ || uploading_ || !response_.headers.has_token("Upgrade", "websocket") ||
        !response_.headers.has_token("Connection", "upgrade")) {
        co_await finish_upload();
        co_await s_.refuse(ProblemCode::upstream_lost);
        co_return;
    }
    s_.out.clear();
    http::append_response_head(s_.out, {.head = response_,
                                        .request = s_.head,
                                        .plan = {},
                                        .date = s_.loop.date(),
                                        .cors = nullptr,
                                        .added_lines = {},
                                        .tunnel = http::Tunnel::websocket});
    s_.tally.status = response_.status;
    s_.close_behind();
    const bool sent = co_await s_.send_out();
    if (sent) {
        co_await tunnel(s_.loop, s_.stream, slot_.stream());
    }
}

Task<> Passage::run() {
    slot_ = co_await s_.loop.pool.acquire(upstream::Freshness::pooled);
    if (!slot_.valid()) {
        auto problem = s_.problem(ProblemCode::overloaded);
        problem.retry_after = seconds{1};
        co_await s_.refuse(problem);
        co_return;
    }
    append_request();
    if (s_.body_is_read) {
        up_.append(s_.body);
        body_taken_ = true;
    } else if (!take_buffered_body()) {
        co_await s_.refuse(ProblemCode::bad_request);
        co_return;
    }
    for (;;) {
        if (!slot_.connected()) {
            const auto ec = co_await slot_.connect();
            if (ec) {
                co_await s_.refuse(ProblemCode::upstream_unreachable);
                co_return;
            }
        }
        const bool reused = slot_.was_idle();
        const auto sent = co_await send_request();
        if (sent == Sent::nothing && !reused) {
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

}  // namespace

Task<> pass_through(Session& s) {
    Passage passage(s);
    co_await passage.run();
}

}  // namespace onceward::proxy
