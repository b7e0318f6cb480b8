#include "proxy/session.hpp"

#include "net/linger.hpp"
#include "proxy/loop.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using guard::ProblemCode;
using std::chrono::steady_clock;

/// A guarded body may take this many times `body_timeout`, and longer as far as it comes at this rate.
constexpr int patience_for_bodies = 10;
constexpr std::uint64_t slowest_bytes_a_second = 500;
/// A refused upload is read on this long, so that the answer isn't lost to a reset (RFC 9112 section 9.6).
constexpr net::LingerLimits last_look{seconds{20}, seconds{2}};
/// Who connected just before the listeners closed may be about to send.
constexpr milliseconds last_call{1000};
/// A client that ended its side together with its last request is only seen by a second look.
constexpr milliseconds second_look{50};
/// A client that is answered sooner is not looked for: it has hardly left, and the look is a system call.
constexpr milliseconds soonest_leave{2};
/// What a client has to take of an answer within `body_timeout`.
constexpr std::size_t progress_bytes = 8 * 1024;
/// Buffers that one large message made grow are given back behind it.
constexpr std::size_t kept_capacity = 64 * 1024;

void give_back(std::string& text) {
    if (text.capacity() > kept_capacity) {
        text = std::string{};
    }
}

ProblemCode problem_of(http::HeadError error) {
    switch (error) {
        case http::HeadError::method_not_allowed:
            return ProblemCode::method_not_allowed;
        case http::HeadError::target_too_long:
            return ProblemCode::target_too_long;
        case http::HeadError::expectation_failed:
            return ProblemCode::expectation_failed;
        case http::HeadError::headers_too_large:
            return ProblemCode::headers_too_large;
        case http::HeadError::none:
        case http::HeadError::bad_request:
            break;
    }
    return ProblemCode::bad_request;
}

http::HeadLimits head_limits(const config::Limits& limits) {
    return {limits.header_bytes, limits.header_count, limits.request_target};
}

}  // namespace

Session::Session(Loop& owner, net::Socket socket, std::size_t listener)
    : loop(owner),
      stream(std::move(socket), owner.deadlines),
      parser(head_limits(owner.options().limits)),
      rules_(owner.rules),
      listener_(listener),
      peer_(find_peer()) {
    loop.sessions.push_back(*this);
    loop.metrics.connections.add(1);
}

Session::~Session() {
    loop.metrics.connections.add(-1);
    loop.connections.give();
}

Task<> Session::run() {
    bool usable = true;
    if (listener().proxy_protocol || listener().tls) {
        usable = co_await open();
    }
    while (usable) {
        const bool received = co_await read_head();
        if (!received) {
            break;
        }
        begin_request();
        co_await handle(*this);
        skim_body();
        finish_request();
        if (broken_ || connection_use() == http::ConnectionUse::close) {
            break;
        }
        parser.restart();
    }
    if (linger_ && !broken_) {
        co_await net::linger(stream, last_look);
    }
    if (!broken_) {
        stream.expires_after(options().limits.body_timeout);
        co_await stream.finish();
    }
    stream.close();
}

/// The next request goes by what is configured as its first byte is there.
void Session::take_rules() {
    if (rules_ == loop.rules) {
        return;
    }
    rules_ = loop.rules;
    parser.set_limits(head_limits(options().limits));
    peer_ = find_peer();
}

Peer Session::find_peer() const {
    const auto& trusted = options().trusted_proxies;
    return told_client_ ? peer_at(*told_client_, trusted) : peer_of(stream.socket(), trusted);
}

Task<bool> Session::read_head() {
    const bool first = tally.started == Deadline{};
    take_rules();
    idle_ = stream.buffered().empty();
    if (idle_ && loop.closing && !first && stream.is_quiet()) {
        co_return false;
    }
    auto look = idle_ && !first ? net::Look::later : net::Look::first;
    const auto idle_timeout = options().limits.idle_timeout;
    const auto header_timeout =
        loop.closing ? std::min(last_call, options().limits.header_timeout) : options().limits.header_timeout;
    stream.expires_after(look == net::Look::later ? std::min(second_look, idle_timeout) : header_timeout);
    for (;;) {
        const auto parsed = parse_head();
        if (parsed.state == http::ParseState::done) {
            co_return true;
        }
        if (parsed.state == http::ParseState::failed) {
            co_await refuse_unread(problem_of(parsed.error));
            co_return false;
        }
        const auto ec = co_await stream.fill(net::Stream::read_size, look);
        if (ec && !may_look_again(ec, look)) {
            break;
        }
        look = net::Look::first;
        if (!ec && idle_) {
            idle_ = false;
            take_rules();
            stream.expires_after(options().limits.header_timeout);
        }
    }
    if (stream.timed_out() && !idle_) {
        co_await refuse_unread(ProblemCode::request_timeout);
    }
    co_return false;
}

http::HeadResult Session::parse_head() {
    if (stream.buffered().empty()) {
        return {};
    }
    const auto result = parser.parse_head(stream.buffered(), head);
    if (result.state == http::ParseState::done) {
        stream.consume(result.consumed);
        stream.never_expires();
    }
    return result;
}

bool Session::may_look_again(const boost::system::error_code& ec, net::Look look) {
    // Once listeners are closed, only what came at the last moment is read; the drain may have met a look that was just over.
    const bool again = loop.closing ? ec == asio::error::operation_aborted && idle_ && !stream.is_quiet()
                                    : stream.timed_out() && look == net::Look::later;
    if (again) {
        stream.expires_after(loop.closing ? last_call : std::max(options().limits.idle_timeout - second_look, second_look));
    }
    return again;
}

void Session::begin_request() {
    idle_ = false;
    body.clear();
    body_is_read = false;
    out.clear();
    match.clear();
    traceparent_.clear();
    request_id_.clear();
    tally = Tally{};
    tally.started = steady_clock::now();
    tally.route_index = options().routes.size();
    loop.metrics.in_flight.add(1);
}

void Session::finish_request() {
    rules_->route_metrics[tally.route_index]->count_request(tally.status, tally.idempotency);
    // Behind the count: where nothing is in flight, all is counted.
    loop.metrics.in_flight.add(-1);
    const auto& routes = options().routes;
    telemetry::AccessEntry entry;
    entry.route = tally.route_index < routes.size() ? std::string_view(routes[tally.route_index].name) : std::string_view{};
    entry.method = head.method;
    entry.path = options().log.access ? path_to_log() : std::string_view(head.path);
    entry.status = tally.status;
    entry.idempotency = tally.idempotency;
    entry.operation_id = tally.operation_id;
    entry.attempt = tally.attempt;
    entry.key_hash = tally.key_hash;
    entry.code = tally.code;
    entry.client_gone = tally.client_gone;
    entry.upstream = tally.upstream;
    entry.store = tally.store;
    entry.total = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - tally.started);
    entry.bytes_in = tally.bytes_in;
    entry.bytes_out = tally.bytes_out;
    if (options().log.access) {
        name_ids(entry);
    }
    rules_->access->write(entry);
    body.clear();
    give_back(out);
    stream.shrink();
}

http::ConnectionUse Session::connection_use() const {
    return close_ || loop.draining || !head.keep_alive ? http::ConnectionUse::close : http::ConnectionUse::keep_alive;
}

void Session::drain() {
    if (!idle_) {
        return;
    }
    if (tally.started == Deadline{}) {
        stream.expires_after(last_call);
    } else if (stream.is_quiet()) {
        stream.cancel();
    }
}

void Session::break_off() {
    broken_ = true;
    close_ = true;
    stream.reset();
}

void Session::client_left() {
    tally.client_gone = true;
    break_off();
}

void Session::give_up_passage() {
    if (passage_ != nullptr && passage_->valid() && passage_->connected()) {
        passage_->stream().close();
    }
}

void Session::skim_body() {
    if (broken_ || parser.body_state() == http::ParseState::done) {
        return;
    }
    // Content that has arrived already is dropped and the connection lives on; for more it is not worth waiting.
    if (!head.expects_continue) {
        const auto result = parser.parse_body(stream.buffered(), [](std::string_view) {});
        stream.consume(result.consumed);
    }
    if (parser.body_state() != http::ParseState::done) {
        close_ = true;
        linger_ = true;
    }
}

std::optional<BodyRead> Session::take_body(const config::Route& route) {
    const auto limit = route.max_request_body;
    const bool announced = head.framing.kind == http::BodyFraming::Kind::length;
    if (announced && head.framing.length > limit) {
        return BodyRead::too_large;
    }
    if (!body_is_read) {
        body_is_read = true;
        body.begin(route.spool_threshold, announced ? std::optional(head.framing.length) : std::nullopt);
    }
    auto state = parser.body_state();
    if (state == http::ParseState::need_more && !stream.buffered().empty()) {
        const auto result = parser.parse_body(stream.buffered(), [&](std::string_view piece) {
            if (body.size() <= limit) {
                body.append(piece);
            }
        });
        stream.consume(result.consumed);
        state = result.state;
    }
    tally.bytes_in = body.size();
    if (state == http::ParseState::failed) {
        return BodyRead::malformed;
    }
    if (body.size() > limit) {
        return BodyRead::too_large;
    }
    if (state != http::ParseState::done) {
        return std::nullopt;
    }
    body.finish();
    return BodyRead::whole;
}

Task<BodyRead> Session::read_body(const config::Route& route) {
    if (head.expects_continue && body.empty()) {
        const bool sent = co_await send({net::buffer_of(http::continue_response), {}, {}});
        if (!sent) {
            co_return BodyRead::gone;
        }
    }
    const auto begun = steady_clock::now();
    for (;;) {
        // Between bytes, and for the whole: one byte now and then must not hold a connection and its buffer for ever.
        const auto limit = options().limits.body_timeout;
        const auto slowest = milliseconds(body.size() * 1'000 / slowest_bytes_a_second);
        stream.expires_at(std::min(net::Deadlines::from_now(limit), begun + patience_for_bodies * limit + slowest));
        const auto want = std::clamp<std::uint64_t>(parser.body().remaining(), net::Stream::read_size, kept_capacity);
        const auto ec = co_await stream.fill(want);
        if (ec) {
            co_return stream.timed_out() ? BodyRead::stalled : BodyRead::gone;
        }
        const auto read = take_body(route);
        if (read) {
            stream.never_expires();
            co_return *read;
        }
    }
}

/// Once, before the first bytes of the answer: a client that has those may well end the connection.
void Session::look_for_client() {
    if (tally.client_looked_for || tally.status == 0 || steady_clock::now() - tally.started < soonest_leave) {
        return;
    }
    tally.client_looked_for = true;
    tally.client_gone = options().log.access && stream.peer_has_ended();
}

SendState Session::start_send(const net::Stream::Buffers& buffers) {
    look_for_client();
    const auto written = stream.write_now(buffers);
    if (written.ec == asio::error::would_block) {
        unsent_ = net::after(buffers, written.bytes);
        return SendState::pending;
    }
    return written.ec ? gone() : SendState::sent;
}

Task<SendState> Session::finish_send() {
    while (net::size_of(unsent_) > 0) {
        const auto waiting = stream.unacknowledged();
        stream.expires_after(options().limits.body_timeout);
        const auto written = co_await stream.write(unsent_);
        unsent_ = net::after(unsent_, written.bytes);
        // A reader may be slow, but has to take some in time. The socket asks for more only once much of what it holds is gone.
        const bool moves = written.bytes > 0 || stream.unacknowledged() + progress_bytes <= waiting;
        if (written.ec && !(stream.timed_out() && moves)) {
            co_return gone();
        }
    }
    stream.never_expires();
    co_return SendState::sent;
}

SendState Session::gone() {
    broken_ = true;
    close_ = true;
    tally.client_gone = true;
    return SendState::gone;
}

Task<bool> Session::send(net::Stream::Buffers buffers) {
    auto state = start_send(buffers);
    if (state == SendState::pending) {
        state = co_await finish_send();
    }
    co_return state == SendState::sent;
}

http::BodyFraming Session::buffered_framing() const {
    const bool announced = head.framing.kind != http::BodyFraming::Kind::none;
    return {announced || !body.empty() ? http::BodyFraming::Kind::length : http::BodyFraming::Kind::none, body.size()};
}

}  // namespace onceward::proxy
