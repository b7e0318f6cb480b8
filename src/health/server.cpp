#include "onceward/health/server.hpp"

#include "health/answer.hpp"
#include "net/event.hpp"
#include "net/listener.hpp"
#include "net/spawn.hpp"
#include "net/stream.hpp"
#include "onceward/http/message_parser.hpp"
#include "onceward/telemetry/log.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <list>
#include <optional>

namespace onceward::health {
namespace {

namespace asio = boost::asio;
using Streams = std::list<net::Stream*>;

/// How long a listener that can't accept (no descriptors left) rests before it tries again.
constexpr milliseconds rest{200};
constexpr milliseconds linger_for{1000};
constexpr std::size_t linger_bytes = 256 * 1024;

void log_escaped(const std::exception_ptr& escaped) {
    if (!escaped) {
        return;
    }
    try {
        std::rethrow_exception(escaped);
    } catch (const std::exception& error) {
        telemetry::error("a health connection ended by an exception", {{"error", std::string_view{error.what()}}});
    }
}

/// Keeps a connection in the server's list while it lives.
class Listed {
public:
    Listed(Streams& streams, net::Stream& stream) : streams_(streams), place_(streams.insert(streams.end(), &stream)) {}
    ~Listed() { streams_.erase(place_); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

private:
    Streams& streams_;
    Streams::iterator place_;
};

}  // namespace

/// Shared by the server and its coroutines, whose frames the loop may keep until after the server has gone.
struct HealthServer::State {
    State(asio::io_context& context, config::Address where, HealthSource& what, const HealthLimits& most)
        : loop(context), address(std::move(where)), source(what), limits(most), deadlines(context), rested(context) {}

    static Task<> accept(std::shared_ptr<State> state);
    static Task<> serve(std::shared_ptr<State> state, net::Socket socket);
    Task<bool> read_head(net::Stream& stream, http::RequestParser& parser, http::RequestHead& head);
    Task<> linger(net::Stream& stream);
    Task<bool> write(net::Stream& stream, const Answer& what, const http::RequestHead& head, After after);

    asio::io_context& loop;
    config::Address address;
    HealthSource& source;
    HealthLimits limits;
    net::Deadlines deadlines;
    net::Event rested;
    Streams streams;  // oldest first
    std::optional<net::Acceptor> acceptor;
};

Task<> HealthServer::State::accept(std::shared_ptr<State> state) {
    while (state->acceptor) {
        auto [ec, socket] = co_await state->acceptor->async_accept(net::use_task);
        if (!state->acceptor) {
            co_return;
        }
        if (ec) {
            co_await state->rested.wait_until(state->deadlines, std::chrono::steady_clock::now() + rest);
            state->rested.take();
            continue;
        }
        if (state->streams.size() >= state->limits.connections) {
            state->streams.front()->close();
        }
        net::spawn(state->loop, serve(state, std::move(socket)), log_escaped);
    }
}

Task<> HealthServer::State::serve(std::shared_ptr<State> state, net::Socket socket) {
    net::Stream stream(std::move(socket), state->deadlines);
    const Listed listed(state->streams, stream);
    http::RequestParser parser({state->limits.head_bytes, 100, state->limits.head_bytes});
    http::RequestHead head;
    bool more = true;
    while (more && stream.is_open()) {
        more = co_await state->read_head(stream, parser, head);
        if (!more) {
            break;
        }
        // Content is not read: what follows it can't be found.
        const bool reusable = head.keep_alive && parser.body_state() == http::ParseState::done;
        const auto what = answer(head, state->source);
        more = co_await state->write(stream, what, head, reusable ? After::keep_alive : After::close);
        stream.shrink();
    }
    co_await state->linger(stream);
}

/// Ends the connection so that the peer can read the last answer: closing with input unread resets it.
Task<> HealthServer::State::linger(net::Stream& stream) {
    stream.shutdown_send();
    stream.expires_after(linger_for);
    std::size_t dropped = 0;
    while (stream.is_open() && dropped < linger_bytes) {
        dropped += stream.buffered().size();
        stream.consume(stream.buffered().size());
        const auto ec = co_await stream.fill();
        if (ec) {
            break;
        }
    }
}

/// False when there is no request to answer; a head that is refused has been answered then.
Task<bool> HealthServer::State::read_head(net::Stream& stream, http::RequestParser& parser, http::RequestHead& head) {
    parser.restart();
    head.clear();
    bool begun = !stream.buffered().empty();
    stream.expires_after(begun ? limits.header_timeout : limits.idle_timeout);
    for (;;) {
        const auto result = parser.parse_head(stream.buffered(), head);
        if (result.state == http::ParseState::done) {
            stream.consume(result.consumed);
            co_return true;
        }
        if (result.state == http::ParseState::failed) {
            const auto refusal = answer(result.error);
            co_await write(stream, refusal, head, After::close);
            co_return false;
        }
        const auto ec = co_await stream.fill();
        if (ec) {
            if (stream.timed_out() && begun) {
                const auto refusal = answer_too_slow();
                co_await write(stream, refusal, head, After::close);
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
Task<bool> HealthServer::State::write(net::Stream& stream, const Answer& what, const http::RequestHead& head, After after) {
    std::string text;
    append_response(text, what, head.method, after, std::chrono::floor<seconds>(std::chrono::system_clock::now()));
    stream.expires_after(limits.header_timeout);
    const auto written = co_await stream.write(std::string_view{text});
    co_return !written.ec && after == After::keep_alive;
}

HealthServer::HealthServer(asio::io_context& loop, config::Address address, HealthSource& source, const HealthLimits& limits)
    : state_(std::make_shared<State>(loop, std::move(address), source, limits)) {}

HealthServer::~HealthServer() {
    stop();
}

void HealthServer::start() {
    auto acceptors = net::open_listeners({&state_->loop}, state_->address);
    state_->acceptor = std::move(acceptors.front());
    net::spawn(state_->loop, State::accept(state_), log_escaped);
}

void HealthServer::stop() {
    state_->acceptor.reset();
    state_->rested.set();
    for (auto* stream : state_->streams) {
        stream->close();
    }
    state_->deadlines.stop();
}

std::uint16_t HealthServer::port() const {
    if (!state_->acceptor || state_->address.is_unix()) {
        return 0;
    }
    const auto endpoint = state_->acceptor->local_endpoint();
    sockaddr_in6 address{};
    std::memcpy(&address, endpoint.data(), std::min(endpoint.size(), sizeof address));
    // The port stands at the same place in sockaddr_in.
    return ntohs(address.sin6_port);
}

}  // namespace onceward::health
