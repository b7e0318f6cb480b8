#include "stage.hpp"

#include "onceward/base/assert.hpp"
#include "onceward/base/clock.hpp"
#include "proxy/spawn.hpp"
#include "virtual_clock.hpp"

#include <boost/asio/steady_timer.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace onceward::fuzz {

namespace {

using test::StreamEnd;

constexpr std::uint64_t turns_max = 5000;
// The kernel makes its least of it: answers are written in pieces and wait for their reader.
constexpr int send_buffer_bytes = 1;

proxy::RulesPtr rules_of(const proxy::PlanPtr& plan, proxy::Loop& loop, telemetry::AccessRing& ring) {
    boost::intrusive_ptr<proxy::Rules> rules(new proxy::Rules);
    rules->plan = plan;
    for (std::size_t i = 0; i < plan->options.routes.size(); ++i) {
        loop.metrics.routes.push_back(std::make_shared<telemetry::RouteMetrics>());
    }
    rules->route_metrics = loop.metrics.routes;
    rules->route_metrics.emplace_back(std::shared_ptr<void>{}, &loop.metrics.unmatched);
    rules->access = &ring;
    return rules;
}

/// A reset can't be seen on a unix socket; that it was asked for can.
StreamEnd end_of(const Descriptor& socket) {
    linger option{};
    socklen_t size = sizeof option;
    ONCEWARD_ASSERT(::getsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &option, &size) == 0);
    return option.l_onoff != 0 && option.l_linger == 0 ? StreamEnd::reset : StreamEnd::closed;
}

}  // namespace

Stage::Stage(Theatre& theatre)
    : theatre_(theatre),
      permits_(theatre.plan()->options.upstream.max_connections),
      connections_(theatre.plan()->options.limits.connections),
      loop_(io_, theatre.plan()->options.upstream, permits_, connections_),
      store_({{&io_, &loop_.waiters}}) {
    loop_.rules = rules_of(theatre.plan(), loop_, theatre.ring());
    loop_.store = store::make_memory_store(store_, 0);
    const auto now = base::wall_clock();
    loop_.ids.set_grant({1, now - seconds{1}, now + std::chrono::hours{1}}, {});
}

Stage::~Stage() {
    loop_.store.reset();
}

Task<> Stage::serve(proxy::Loop& loop, net::Socket socket, Client& client) {
    {
        proxy::Session session(loop, std::move(socket), 0);
        co_await session.run();
    }
    client.session_ended = true;
}

/// As `app/accept.cpp` takes a connection.
std::unique_ptr<Stage::Client> Stage::connect() {
    int ends[2] = {-1, -1};
    ONCEWARD_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    ONCEWARD_ASSERT(::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &send_buffer_bytes, sizeof send_buffer_bytes) == 0);
    auto client = std::make_unique<Client>(Client{Peer(Descriptor(ends[0])), Descriptor(::dup(ends[1])), trace_.clients.size()});
    ONCEWARD_ASSERT(client->proxy_side.is_open());
    trace_.clients.emplace_back();
    net::Socket socket(io_.get_executor());
    socket.assign(boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
    ONCEWARD_ASSERT(loop_.connections.take());
    proxy::spawn(loop_, serve(loop_, std::move(socket), *client));
    return client;
}

void Stage::play(const Step& step) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(step.letter)));
    const bool first = lower == step.letter;
    if (step.letter == 't') {
        std::int64_t time = 60;
        std::from_chars(step.text.data(), step.text.data() + std::min<std::size_t>(step.text.size(), 5), time);
        pass(milliseconds{std::clamp<std::int64_t>(time, 1, 60'000)});
    } else if (std::string_view("chxrp").find(lower) != std::string_view::npos) {
        play_client(lower, clients_[first ? 0 : 1], step.text);
    } else if (std::string_view("uowkq").find(lower) != std::string_view::npos) {
        const auto open = [](const Service& service) { return service.peer.is_open(); };
        const bool newest = step.letter == 'u' || (lower != 'u' && lower != 'o' && first);
        if (newest) {
            const auto found = std::find_if(services_.rbegin(), services_.rend(), open);
            found == services_.rend() ? void() : play_service(lower, *found, step.text);
        } else {
            const auto found = std::find_if(services_.begin(), services_.end(), open);
            found == services_.end() ? void() : play_service(lower, *found, step.text);
        }
    }
    settle();
}

void Stage::play_client(char letter, std::unique_ptr<Client>& client, std::string_view text) {
    if (client && client->session_ended) {
        end_client(client, StreamEnd::closed);
    }
    if (!client && letter == 'c') {
        client = connect();
    }
    if (!client) {
        return;
    }
    auto& trace = trace_.clients[client->at];
    switch (letter) {
        case 'c':
            trace.sent.append(text.substr(0, client->peer.send(text)));
            break;
        case 'h':
            client->peer.end_sending();
            break;
        case 'p':
            client->peer.pause_or_read_on();
            break;
        default:
            end_client(client, letter == 'r' ? StreamEnd::reset : StreamEnd::closed);
    }
}

/// The session, if it still runs, sees it in the next turn.
void Stage::end_client(std::unique_ptr<Client>& client, StreamEnd how) {
    auto& trace = trace_.clients[client->at];
    client->peer.read_on();
    client->peer.read(trace.received);
    if (client->proxy_side.is_open()) {
        trace.left = true;
        const char unread = 0;
        if (how == StreamEnd::reset && ::send(client->proxy_side.get(), &unread, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
            how = StreamEnd::closed;
        }
    }
    client->peer.pause_or_read_on();
    std::string unread;
    client->peer.close(unread);
    ended_clients_.push_back(std::move(client));
}

void Stage::play_service(char letter, Service& service, std::string_view text) {
    auto& trace = trace_.services[service.at];
    const auto before = trace.received.size();
    switch (letter) {
        case 'u':
        case 'o':
            trace.sent.append(text.substr(0, service.peer.send(text)));
            break;
        case 'w':
            service.peer.end_sending();
            trace.end = StreamEnd::closed;
            break;
        case 'k':
            service.peer.read_on();
            service.peer.close(trace.received);
            trace.end = StreamEnd::closed;
            break;
        default:
            trace.paused = true;
            if (service.peer.is_reading()) {
                service.peer.pause_or_read_on();
                return;
            }
            trace.end = service.peer.close(trace.received) == StreamEnd::reset && trace.end == StreamEnd::open
                            ? StreamEnd::reset
                            : StreamEnd::closed;
    }
    if (trace.received.size() > before) {
        trace.arrivals.push_back({before, turn_});
    }
}

bool Stage::read_client(Client& client) {
    auto& trace = trace_.clients[client.at];
    bool any = client.peer.read(trace.received);
    if (client.session_ended && client.proxy_side.is_open()) {
        trace.proxy_end = end_of(client.proxy_side);
        client.proxy_side.close();
        any = true;
    }
    return any;
}

bool Stage::accept_services() {
    bool any = false;
    for (auto socket = theatre_.accept(); socket.is_open(); socket = theatre_.accept()) {
        services_.push_back({Peer(std::move(socket)), trace_.services.size()});
        trace_.services.emplace_back();
        any = true;
    }
    return any;
}

bool Stage::read_services() {
    bool any = false;
    for (auto& service : services_) {
        auto& trace = trace_.services[service.at];
        const auto before = trace.received.size();
        any = service.peer.read(trace.received) || any;
        if (trace.received.size() > before) {
            trace.arrivals.push_back({before, turn_});
        }
    }
    return any;
}

bool Stage::close_services() {
    bool any = false;
    for (auto& service : services_) {
        if (service.peer.is_open()) {
            play_service('k', service, {});
            any = true;
        }
    }
    return any;
}

/// Until nobody has anything to do.
void Stage::settle() {
    bool busy = true;
    for (std::uint64_t turns = 0; busy; ++turns) {
        ONCEWARD_ASSERT(turns < turns_max);
        ++turn_;
        io_.restart();
        busy = io_.poll() > 0;
        busy = accept_services() || busy;
        busy = read_services() || busy;
        if (service_gone_) {
            busy = close_services() || busy;
        }
        for (auto& client : clients_) {
            busy = (client && read_client(*client)) || busy;
        }
        for (auto& client : ended_clients_) {
            busy = read_client(*client) || busy;
        }
    }
}

void Stage::pass(milliseconds time) {
    let_pass(time);
    // The kernel's timer knows nothing of this clock: a limit before all others makes Asio look at them.
    boost::asio::steady_timer first(io_, std::chrono::steady_clock::time_point{});
    first.async_wait([](const boost::system::error_code&) {});
    settle();
}

/// The shortest limits first, so that what follows one is seen before the next is over.
void Stage::pass_limits() {
    const auto& options = theatre_.plan()->options;
    for (const milliseconds limit :
         {milliseconds{100}, milliseconds{2000}, milliseconds(options.limits.body_timeout),
          milliseconds(options.upstream.execution_timeout), milliseconds(options.limits.idle_timeout)}) {
        if (loop_.coroutine_count == 0) {
            return;
        }
        pass(limit + seconds{1});
    }
}

void Stage::finish() {
    for (auto& client : clients_) {
        if (client) {
            client->peer.read_on();
        }
    }
    settle();
    pass_limits();
    service_gone_ = true;
    settle();
    pass_limits();
    for (auto& client : clients_) {
        if (client) {
            hanging_ += client->session_ended ? 0 : 1;
            end_client(client, StreamEnd::closed);
        }
    }
    settle();
    pass_limits();
    loop_.pool.drain();
    loop_.deadlines.stop();
    settle();
}

std::array<std::int64_t, 5> Stage::left_over() const {
    return {static_cast<std::int64_t>(loop_.coroutine_count), static_cast<std::int64_t>(loop_.executions.open_count()),
            loop_.metrics.connections.value(), loop_.metrics.in_flight.value(), hanging_};
}

}  // namespace onceward::fuzz
