#include "onceward/http/chunked.hpp"
#include "proxy/loop.hpp"
#include "proxy/passage.hpp"
#include "proxy/tunnel.hpp"

namespace onceward::proxy {

using guard::ProblemCode;
using http::BodyFraming;
using http::ParseState;

namespace {
constexpr std::size_t piece_bytes = 64 * 1024;
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
                                        .cors = &s_.options().cors,
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
                stream.expires_after(s_.options().upstream.execution_timeout);
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
            http::append_last_chunk(end, {parser_.body().trailers(), response_.headers});
        }
        const bool sent = co_await flush(end);
        co_return sent;
    }
}

/// No answer can be had.
Task<> Passage::give_up(ProblemCode problem) {
    co_await finish_upload();
    if (client_left_) {
        s_.client_left();
    } else if (s_.parser.body_state() == ParseState::failed) {
        co_await s_.refuse(ProblemCode::bad_request);
    } else {
        const auto code = upload_stalled_ ? ProblemCode::request_timeout : problem;
        if (code == ProblemCode::upstream_timeout) {
            co_await s_.refuse_for_now(code);
        } else {
            co_await s_.refuse(code);
        }
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
    begun_.reset();
    s_.close_behind();
    const bool sent = co_await s_.send_out();
    if (sent) {
        co_await tunnel(s_.loop, s_.stream, slot_.stream());
    }
}

}  // namespace onceward::proxy
