#include "proxy/session.hpp"

#include "proxy/loop.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using guard::ProblemCode;
using std::chrono::steady_clock;

/// A refused upload is read on this long, so that the answer isn't lost to a reset (RFC 9112 section 9.6).
constexpr seconds linger_limit{20};
constexpr seconds linger_idle{2};
/// A client that ended its side together with its last request is only seen by a second look.
constexpr milliseconds second_look{50};
/// Buffers that one large message made grow are given back behind it.
constexpr std::size_t kept_capacity = 64 * 1024;

void give_back(std::string& text) {
    if (text.capacity() > kept_capacity) {
        text = std::string{};
    }
}

/// Bytes behind the head of a whole response.
std::uint64_t content_size_of(std::string_view response) {
    constexpr std::string_view head_end = "\r\n\r\n";
    return response.size() - response.find(head_end) - head_end.size();
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

Session::Session(Loop& owner, net::Socket socket)
    : loop(owner),
      stream(std::move(socket), owner.deadlines),
      parser(head_limits(owner.options().limits)),
      peer_(peer_of(stream.socket(), owner.options().trusted_proxies)) {
    loop.sessions.push_back(*this);
    loop.metrics.connections.add(1);
}

Session::~Session() {
    loop.metrics.connections.add(-1);
    loop.connections.give();
}

Task<> Session::run() {
    for (;;) {
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
        co_await linger();
    }
    stream.close();
}

Task<bool> Session::read_head() {
    const auto& limits = loop.options().limits;
    const bool first = tally.started == Deadline{};
    idle_ = stream.buffered().empty();
    if (idle_ && loop.draining) {
        co_return false;
    }
    auto look = idle_ && !first ? net::Look::later : net::Look::first;
    stream.expires_after(look == net::Look::later ? std::min(second_look, limits.idle_timeout) : limits.header_timeout);
    for (;;) {
        if (!stream.buffered().empty()) {
            const auto result = parser.parse_head(stream.buffered(), head);
            if (result.state == http::ParseState::done) {
                stream.consume(result.consumed);
                stream.never_expires();
                co_return true;
            }
            if (result.state == http::ParseState::failed) {
                co_await refuse_unread(problem_of(result.error));
                co_return false;
            }
        }
        const auto ec = co_await stream.fill(net::Stream::read_size, look);
        if (ec && stream.timed_out() && look == net::Look::later) {
            look = net::Look::first;
            stream.expires_after(std::max(limits.idle_timeout - second_look, second_look));
            continue;
        }
        if (ec) {
            if (stream.timed_out() && !idle_) {
                co_await refuse_unread(ProblemCode::request_timeout);
            }
            co_return false;
        }
        look = net::Look::first;
        if (idle_) {
            idle_ = false;
            stream.expires_after(limits.header_timeout);
        }
    }
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
    tally.route_index = loop.options().routes.size();
    loop.metrics.in_flight.add(1);
}

void Session::finish_request() {
    loop.metrics.in_flight.add(-1);
    loop.metrics.count_request(tally.route_index, tally.status, tally.idempotency);
    const auto& routes = loop.options().routes;
    telemetry::AccessEntry entry;
    entry.route = tally.route_index < routes.size() ? std::string_view(routes[tally.route_index].name) : std::string_view{};
    entry.method = head.method;
    // A key is never logged: where the path holds one, the route's pattern stands in.
    entry.path = tally.guarded && loop.plan.path_holds_key[tally.route_index] ? std::string_view(routes[tally.route_index].path)
                                                                              : std::string_view(head.path);
    entry.status = tally.status;
    entry.idempotency = tally.idempotency;
    entry.operation_id = tally.operation_id;
    entry.attempt = tally.attempt;
    entry.key_hash = tally.key_hash;
    entry.code = tally.code;
    entry.upstream = tally.upstream;
    entry.store = tally.store;
    entry.total = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - tally.started);
    entry.bytes_in = tally.bytes_in;
    entry.bytes_out = tally.bytes_out;
    if (loop.options().log.access) {
        name_ids(entry);
    }
    loop.access.write(entry);
    give_back(body);
    give_back(out);
    stream.shrink();
}

http::ConnectionUse Session::connection_use() const {
    return close_ || loop.draining || !head.keep_alive ? http::ConnectionUse::close : http::ConnectionUse::keep_alive;
}

void Session::drain() {
    if (idle_) {
        stream.cancel();
    }
}

void Session::break_off() {
    broken_ = true;
    close_ = true;
    stream.reset();
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

std::optional<BodyRead> Session::take_body(std::uint64_t limit) {
    if (head.framing.kind == http::BodyFraming::Kind::length && head.framing.length > limit) {
        return BodyRead::too_large;
    }
    body_is_read = true;
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
    return state == http::ParseState::done ? std::optional(BodyRead::whole) : std::nullopt;
}

Task<BodyRead> Session::read_body(std::uint64_t limit) {
    if (head.expects_continue && body.empty()) {
        const bool sent = co_await send({net::buffer_of(http::continue_response), {}, {}});
        if (!sent) {
            co_return BodyRead::gone;
        }
    }
    for (;;) {
        stream.expires_after(loop.options().limits.body_timeout);
        const auto want = std::clamp<std::uint64_t>(parser.body().remaining(), net::Stream::read_size, kept_capacity);
        const auto ec = co_await stream.fill(want);
        if (ec) {
            co_return stream.timed_out() ? BodyRead::stalled : BodyRead::gone;
        }
        const auto read = take_body(limit);
        if (read) {
            stream.never_expires();
            co_return *read;
        }
    }
}

SendState Session::start_send(const net::Stream::Buffers& buffers) {
    const auto written = stream.write_now(buffers);
    if (written.ec == asio::error::would_block) {
        unsent_ = net::after(buffers, written.bytes);
        return SendState::pending;
    }
    return written.ec ? gone() : SendState::sent;
}

Task<SendState> Session::finish_send() {
    stream.expires_after(loop.options().limits.body_timeout);
    const auto written = co_await stream.write(unsent_);
    stream.never_expires();
    co_return written.ec ? gone() : SendState::sent;
}

SendState Session::gone() {
    broken_ = true;
    close_ = true;
    return SendState::gone;
}

Task<bool> Session::send(net::Stream::Buffers buffers) {
    auto state = start_send(buffers);
    if (state == SendState::pending) {
        state = co_await finish_send();
    }
    co_return state == SendState::sent;
}

reply::ProblemReply Session::problem(ProblemCode code) const {
    reply::ProblemReply problem;
    problem.code = code;
    problem.client_version = head.version;
    problem.to_head = head.method == "HEAD";
    const auto& routes = loop.options().routes;
    if (tally.route_index < routes.size()) {
        problem.errors = &routes[tally.route_index].errors;
    }
    if (tally.guarded) {
        problem.status = guard::status_of(code);
    }
    return problem;
}

Task<> Session::refuse(ProblemCode code) {
    return refuse(problem(code));
}

Task<> Session::refuse_for_now(ProblemCode code) {
    auto later = problem(code);
    later.retry_after = reply::retry_soon;
    return refuse(std::move(later));
}

http::BodyFraming Session::buffered_framing() const {
    const bool announced = head.framing.kind != http::BodyFraming::Kind::none;
    return {announced || !body.empty() ? http::BodyFraming::Kind::length : http::BodyFraming::Kind::none, body.size()};
}

Task<> Session::refuse(reply::ProblemReply problem) {
    skim_body();
    problem.date = loop.date();
    problem.connection = connection_use();
    out.clear();
    reply::append_problem(out, problem);
    tally.bytes_out = content_size_of(out);
    tally.status = reply::problem_status(problem.code, problem.errors);
    tally.code = guard::info(problem.code).name;
    if (problem.status) {
        tally.idempotency = *problem.status;
    }
    co_await send_out();
}

Task<> Session::refuse_unread(ProblemCode code) {
    begin_request();
    head.keep_alive = false;
    close_ = true;
    linger_ = true;
    reply::ProblemReply problem;
    problem.code = code;
    problem.date = loop.date();
    problem.to_head = stream.buffered().starts_with("HEAD ");
    reply::append_problem(out, problem);
    tally.bytes_out = content_size_of(out);
    tally.status = guard::info(code).status;
    tally.code = guard::info(code).name;
    co_await send_out();
    finish_request();
}

Task<> Session::linger() {
    stream.shutdown_send();
    const auto until = steady_clock::now() + linger_limit;
    while (steady_clock::now() < until) {
        stream.consume(stream.buffered().size());
        stream.expires_after(linger_idle);
        const auto ec = co_await stream.fill(kept_capacity);
        if (ec) {
            break;
        }
    }
}

}  // namespace onceward::proxy
