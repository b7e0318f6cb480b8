#include "net/http_server.hpp"

#include "net/event.hpp"
#include "net/linger.hpp"
#include "net/peer_text.hpp"
#include "net/socket_file.hpp"
#include "net/spawn.hpp"
#include "net/stream.hpp"
#include "onceward/base/clock.hpp"
#include "onceward/http/message_parser.hpp"
#include "onceward/telemetry/log.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <list>

namespace onceward::net {
namespace {

/// How long a listener that can't accept (no descriptors left) rests before it tries again.
constexpr milliseconds rest{200};
constexpr LingerLimits last_look{milliseconds{1000}, milliseconds{1000}, 256UL * 1024};

void log_escaped(const std::exception_ptr& escaped) {
    if (!escaped) {
        return;
    }
    try {
        std::rethrow_exception(escaped);
    } catch (const std::exception& error) {
        telemetry::error("a connection of a listener of Onceward's own ended by an exception",
                         {{"error", std::string_view{error.what()}}});
    }
}

HttpRefusal refusal_of(http::HeadError error) {
    switch (error) {
        case http::HeadError::method_not_allowed:
            return HttpRefusal::method_not_allowed;
        case http::HeadError::target_too_long:
            return HttpRefusal::target_too_long;
        case http::HeadError::expectation_failed:
            return HttpRefusal::expectation_failed;
        case http::HeadError::headers_too_large:
            return HttpRefusal::headers_too_large;
        case http::HeadError::none:
        case http::HeadError::bad_request:
            break;
    }
    return HttpRefusal::bad_request;
}

/// A connection with the request that it is at.
struct Exchange {
    Exchange(Socket socket, Deadlines& deadlines, const HttpServerLimits& limits)
        : stream(std::move(socket), deadlines), parser({limits.head_bytes, 100, limits.head_bytes}) {
        if (stream.is_open()) {
            peer = peer_text(stream.socket());
        }
    }

    Stream stream;
    http::RequestParser parser;
    http::RequestHead head;
    std::string content;
    std::string peer;
    bool answering = false;
};
using Exchanges = std::list<Exchange*>;

/// Keeps a connection in the server's list while it lives.
class Listed {
public:
    Listed(Exchanges& list, Exchange& exchange) : list_(list), place_(list.insert(list.end(), &exchange)) {}
    ~Listed() { list_.erase(place_); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

private:
    Exchanges& list_;
    Exchanges::iterator place_;
};

}  // namespace

/// Shared by the server and its coroutines, whose frames the loop may keep until after the server has gone.
struct HttpServer::State {
    State(asio::io_context& context, config::Address where, HttpPages& what, const HttpServerLimits& most)
        : loop(context), address(std::move(where)), pages(what), limits(most), deadlines(context), rested(context) {}

    static Task<> accept(std::shared_ptr<State> state);
    static Task<> serve(std::shared_ptr<State> state, Socket socket);
    bool make_room();
    Task<bool> read_head(Exchange& exchange);
    Task<bool> exchange_one(Exchange& exchange);
    Task<bool> read_content(Exchange& exchange);
    Task<bool> write(Exchange& exchange, const HttpAnswer& what, http::ConnectionUse use);

    asio::io_context& loop;
    config::Address address;
    HttpPages& pages;
    HttpServerLimits limits;
    Deadlines deadlines;
    Event rested;
    Exchanges exchanges;  // oldest first
    std::optional<Acceptor> acceptor;
    SocketFile socket_file;
};

/// Whether one more connection may come; the oldest that nobody works for makes room.
bool HttpServer::State::make_room() {
    if (exchanges.size() < limits.connections) {
        return true;
    }
    const auto oldest = std::find_if(exchanges.begin(), exchanges.end(), [](const Exchange* each) { return !each->answering; });
    if (oldest == exchanges.end()) {
        return false;
    }
    (*oldest)->stream.close();
    return true;
}

Task<> HttpServer::State::accept(std::shared_ptr<State> state) {
    while (state->acceptor) {
        auto [ec, socket] = co_await state->acceptor->async_accept(use_task);
        if (!state->acceptor) {
            co_return;
        }
        if (ec) {
            co_await state->rested.wait_until(state->deadlines, std::chrono::steady_clock::now() + rest);
            state->rested.take();
            continue;
        }
        if (state->make_room()) {
            net::spawn(state->loop, serve(state, std::move(socket)), log_escaped);
        }
    }
}

Task<> HttpServer::State::serve(std::shared_ptr<State> state, Socket socket) {
    Exchange exchange(std::move(socket), state->deadlines, state->limits);
    const Listed listed(state->exchanges, exchange);
    bool more = true;
    while (more && exchange.stream.is_open()) {
        more = co_await state->read_head(exchange);
        if (more) {
            more = co_await state->exchange_one(exchange);
        }
        exchange.content = {};
        exchange.stream.shrink();
    }
    co_await linger(exchange.stream, last_look);
}

/// Answers the request whose head was read. Whether the connection goes on.
Task<bool> HttpServer::State::exchange_one(Exchange& exchange) {
    exchange.stream.never_expires();
    exchange.answering = true;
    std::optional<HttpAnswer> what;
    if (exchange.parser.body_state() != http::ParseState::done && limits.content_bytes > 0) {
        const HttpRequest head_only{exchange.head, {}, exchange.peer};
        what = co_await pages.admit(head_only);
        if (!what) {
            exchange.answering = false;
            const bool whole = co_await read_content(exchange);
            if (!whole) {
                co_return false;
            }
            exchange.stream.never_expires();
            exchange.answering = true;
        }
    }
    if (!what) {
        const HttpRequest request{exchange.head, exchange.content, exchange.peer};
        what = co_await pages.answer(request);
    }
    exchange.answering = false;
    // Behind content that was not read the next request can't be found.
    const bool reusable = exchange.head.keep_alive && exchange.parser.body_state() == http::ParseState::done;
    const auto use = reusable ? http::ConnectionUse::keep_alive : http::ConnectionUse::close;
    const bool more = co_await write(exchange, *what, use);
    co_return more;
}

/// False when there is no content to answer; one that is refused has been answered then.
Task<bool> HttpServer::State::read_content(Exchange& exchange) {
    auto& stream = exchange.stream;
    stream.expires_after(limits.content_timeout);
    auto refusal = HttpRefusal::bad_request;
    if (exchange.head.expects_continue && stream.buffered().empty()) {
        const auto told = co_await stream.write(http::continue_response);
        if (told.ec) {
            co_return false;
        }
    }
    for (;;) {
        const auto result =
            exchange.parser.parse_body(stream.buffered(), [&](std::string_view piece) { exchange.content += piece; });
        stream.consume(result.consumed);
        if (exchange.content.size() > limits.content_bytes || exchange.parser.body().remaining() > limits.content_bytes) {
            refusal = HttpRefusal::content_too_large;
            break;
        }
        if (result.state == http::ParseState::done) {
            co_return true;
        }
        if (result.state == http::ParseState::failed) {
            break;
        }
        const auto ec = co_await stream.fill();
        if (ec) {
            if (!stream.timed_out()) {
                co_return false;
            }
            refusal = HttpRefusal::too_slow;
            break;
        }
    }
    const auto answer = pages.refuse(refusal);
    co_await write(exchange, answer, http::ConnectionUse::close);
    co_return false;
}

/// False when there is no request to answer; a head that is refused has been answered then.
Task<bool> HttpServer::State::read_head(Exchange& exchange) {
    auto& stream = exchange.stream;
    exchange.parser.restart();
    exchange.head.clear();
    bool begun = !stream.buffered().empty();
    stream.expires_after(begun ? limits.header_timeout : limits.idle_timeout);
    for (;;) {
        const auto result = exchange.parser.parse_head(stream.buffered(), exchange.head);
        if (result.state == http::ParseState::done) {
            stream.consume(result.consumed);
            co_return true;
        }
        if (result.state == http::ParseState::failed) {
            const auto answer = pages.refuse(refusal_of(result.error));
            co_await write(exchange, answer, http::ConnectionUse::close);
            co_return false;
        }
        const auto ec = co_await stream.fill();
        if (ec) {
            if (stream.timed_out() && begun) {
                const auto answer = pages.refuse(HttpRefusal::too_slow);
                co_await write(exchange, answer, http::ConnectionUse::close);
            }
            co_return false;
        }
        if (!begun) {
            begun = true;
            stream.expires_after(limits.header_timeout);
        }
    }
}

/// Whether the connection goes on.
Task<bool> HttpServer::State::write(Exchange& exchange, const HttpAnswer& what, http::ConnectionUse use) {
    std::string text;
    const auto now = std::chrono::sys_seconds{std::chrono::floor<seconds>(base::wall_clock().time_since_epoch())};
    append_answer(text, what, exchange.head.method, use, now);
    exchange.stream.expires_after(limits.header_timeout);
    const auto written = co_await exchange.stream.write(std::string_view{text});
    co_return !written.ec && use == http::ConnectionUse::keep_alive;
}

Task<std::optional<HttpAnswer>> HttpPages::admit(const HttpRequest& /*request*/) {
    co_return std::nullopt;
}

HttpServer::HttpServer(asio::io_context& loop, config::Address address, HttpPages& pages, const HttpServerLimits& limits)
    : state_(std::make_shared<State>(loop, std::move(address), pages, limits)) {}

HttpServer::~HttpServer() {
    stop();
}

void HttpServer::start(SocketAccess access) {
    auto acceptors = open_listeners({&state_->loop}, state_->address, access);
    state_->acceptor = std::move(acceptors.front());
    state_->socket_file = SocketFile(state_->address);
    net::spawn(state_->loop, State::accept(state_), log_escaped);
}

void HttpServer::stop() {
    state_->socket_file.remove();
    state_->acceptor.reset();
    state_->rested.set();
    for (auto* exchange : state_->exchanges) {
        exchange->stream.close();
    }
    state_->deadlines.stop();
}

std::uint16_t HttpServer::port() const {
    if (!state_->acceptor || state_->address.is_unix()) {
        return 0;
    }
    const auto endpoint = state_->acceptor->local_endpoint();
    sockaddr_in6 address{};
    std::memcpy(&address, endpoint.data(), std::min(endpoint.size(), sizeof address));
    // The port stands at the same place in sockaddr_in.
    return ntohs(address.sin6_port);
}

}  // namespace onceward::net
