#include "proxy/deliver.hpp"

#include "onceward/http/chunked.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/reply/idempotency_fields.hpp"
#include "proxy/execution.hpp"
#include "proxy/loop.hpp"
#include "proxy/pieces.hpp"
#include "proxy/session.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using http::BodyFraming;

/// Content is copied out in pieces while the execution may still append to it.
constexpr std::size_t piece_bytes = 64 * 1024;

/// The answer on its way to one client.
class Sender {
public:
    Sender(Session& session, Execution& execution) : s_(session), e_(execution) {}

    /// Nothing went out yet and all is there: what to send, in one write.
    [[nodiscard]] bool can_send_whole() const { return !head_sent_ && finished() && e_.content_at == 0; }
    net::Stream::Buffers whole();
    /// Sends what may be sent; false: the client is gone.
    Task<bool> advance();

private:
    [[nodiscard]] bool finished() const { return e_.delivery.stage == DeliveryStage::finished; }
    [[nodiscard]] std::uint64_t sendable() const;
    void append_head();
    void append_end();
    [[nodiscard]] std::string_view kept() const;
    Task<bool> fetch();

    Session& s_;
    Execution& e_;
    http::ResponsePlan plan_;
    std::string fetched_;  ///< content from the store, of a client that lags behind
    std::uint64_t fetched_at_ = 0;
    bool head_sent_ = false;
    bool no_content_ = false;
    bool ended_ = false;
};

void Sender::append_head() {
    auto& d = e_.delivery;
    std::optional<std::uint64_t> known;
    if (finished()) {
        known = e_.content_end();
    }
    plan_ = http::plan_response(e_.response, s_.head, known);
    const bool may_need_trailer = e_.guarded() && !finished() && plan_.framing.kind == BodyFraming::Kind::length;
    if (may_need_trailer && s_.head.version == http::Version::http_1_1 && s_.head.headers.has_token("TE", "trailers")) {
        // Whether it was recorded is only known behind the content.
        plan_.framing = {BodyFraming::Kind::chunked, 0};
    }
    if (s_.connection_use() == http::ConnectionUse::close) {
        plan_.connection = http::ConnectionUse::close;
    }
    if (plan_.connection == http::ConnectionUse::close) {
        s_.close_behind();
    }
    reply::IdempotencyFields fields{d.status, {}, d.recorded};
    if (e_.guarded()) {
        fields.operation_id = e_.command.claim.operation_id;
    }
    s_.lines.clear();
    reply::append_idempotency_fields(s_.lines, fields);
    http::append_response_head(s_.out, {.head = e_.response,
                                        .request = s_.head,
                                        .plan = plan_,
                                        .date = s_.loop.date(),
                                        .cors = &s_.options().cors,
                                        .added_lines = s_.lines});
    no_content_ = plan_.framing.kind == BodyFraming::Kind::none || s_.head.method == "HEAD";
    head_sent_ = true;
    s_.tally.status = e_.response.status;
}

/// The last byte of an answer of known length stays back until it is recorded; of others the end itself does.
std::uint64_t Sender::sendable() const {
    const auto end = e_.content_end();
    const bool hold = !finished() && plan_.framing.kind == BodyFraming::Kind::length && end > e_.delivery.taken;
    return hold ? end - 1 : end;
}

void Sender::append_end() {
    if (plan_.framing.kind != BodyFraming::Kind::chunked || no_content_) {
        return;
    }
    const bool tell = e_.delivery.recorded == reply::Recorded::no && s_.head.headers.has_token("TE", "trailers");
    http::append_last_chunk(s_.out, tell ? reply::not_recorded_line : std::string_view{});
}

/// Content that is at hand from the next byte on that the client is to get.
std::string_view Sender::kept() const {
    const auto taken = e_.delivery.taken;
    if (taken >= e_.content_at) {
        return std::string_view(e_.content()).substr(static_cast<std::size_t>(taken - e_.content_at));
    }
    const bool there = taken >= fetched_at_ && taken < fetched_at_ + fetched_.size();
    return there ? std::string_view(fetched_).substr(static_cast<std::size_t>(taken - fetched_at_)) : std::string_view{};
}

/// Content that is no longer kept here is in the store. False: there neither.
Task<bool> Sender::fetch() {
    const auto& command = e_.command;
    store::PieceLookup lookup{{command.id, command.claim.fence}, command.route, {}};
    lookup.index = static_cast<std::uint32_t>(e_.delivery.taken / guard::content_piece_bytes);
    auto bytes = co_await read_piece(e_.loop, lookup);
    fetched_at_ = std::uint64_t{lookup.index} * guard::content_piece_bytes;
    fetched_ = bytes ? std::move(*bytes) : std::string{};
    co_return !kept().empty();
}

/// A held answer goes out in one write.
net::Stream::Buffers Sender::whole() {
    s_.out.clear();
    append_head();
    ended_ = true;
    const std::string_view content = no_content_ ? std::string_view{} : std::string_view(e_.content());
    std::string_view end;
    if (plan_.framing.kind == BodyFraming::Kind::chunked && !no_content_) {
        if (!content.empty()) {
            http::append_chunk_header(s_.out, content.size());
        }
        end = content.empty() ? http::last_chunk : std::string_view("\r\n0\r\n\r\n");
    }
    e_.delivery.taken = e_.content_end();
    s_.tally.bytes_out += content.size();
    return {net::buffer_of(s_.out), net::buffer_of(content), net::buffer_of(end)};
}

Task<bool> Sender::advance() {
    s_.out.clear();
    if (!head_sent_) {
        append_head();
    }
    auto& d = e_.delivery;
    for (;;) {
        if (d.taken < e_.content_at && kept().empty()) {
            const bool fetched = co_await fetch();
            if (!fetched) {
                s_.break_off();
                co_return false;
            }
        }
        const auto piece = kept().substr(0, std::min<std::uint64_t>(sendable() - d.taken, piece_bytes));
        d.taken += piece.size();
        if (!piece.empty() && !no_content_) {
            s_.tally.bytes_out += piece.size();
            if (plan_.framing.kind == BodyFraming::Kind::chunked) {
                http::append_chunk(s_.out, piece);
            } else {
                s_.out.append(piece);
            }
        }
        const bool at_end = finished() && d.taken == e_.content_end();
        if (at_end && !ended_) {
            ended_ = true;
            append_end();
        }
        if (!s_.out.empty()) {
            const bool sent = co_await s_.send_out();
            if (!sent) {
                co_return false;
            }
        }
        s_.out.clear();
        d.room.set();
        if (d.stage == DeliveryStage::cut || at_end || sendable() == d.taken) {
            // A stage that changed while this was being sent is seen again by the caller.
            co_return true;
        }
    }
}

Task<> refuse(Session& s, Execution& e) {
    auto& d = e.delivery;
    auto problem = s.problem(d.problem);
    problem.status = d.status;
    problem.retry_after = d.retry_after;
    if (d.problem == guard::ProblemCode::upstream_unreachable && s.loop.draining) {
        say_stopping(problem);
    }
    if (e.guarded()) {
        problem.operation_id = e.command.claim.operation_id;
    }
    problem.recorded = d.recorded;
    return s.refuse(problem);
}

Task<bool> send_interim(Session& s, Execution& e) {
    bool sent = true;
    if (s.head.version == http::Version::http_1_1) {
        s.out.swap(e.delivery.interim);
        sent = co_await s.send_out();
    }
    e.delivery.interim.clear();
    co_return sent;
}

}  // namespace

Task<> deliver(Session& s, Execution& e) {
    auto& d = e.delivery;
    Sender sender(s, e);
    bool done = false;
    while (!done) {
        co_await d.changed.wait();
        d.changed.take();
        s.tally.idempotency = d.status;
        bool sent = true;
        if (!d.interim.empty()) {
            sent = co_await send_interim(s, e);
        }
        const auto stage = d.stage;
        if (sent && stage == DeliveryStage::refused) {
            d.attached = false;
            co_await refuse(s, e);
            done = true;
        } else if (stage == DeliveryStage::cut) {
            s.break_off();
            done = true;
        } else if (sent && sender.can_send_whole()) {
            if (s.start_send(sender.whole()) == SendState::pending) {
                co_await s.finish_send();
            }
            done = true;
        } else if (sent && stage != DeliveryStage::waiting) {
            sent = co_await sender.advance();
            done = stage == DeliveryStage::finished;
        }
        done = done || !sent;
    }
    s.tally.idempotency = d.status;
    d.attached = false;
    d.room.set();
}

}  // namespace onceward::proxy
