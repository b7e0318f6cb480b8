#include "onceward/health/server.hpp"

#include "health/answer.hpp"
#include "net/http_server.hpp"

namespace onceward::health {
namespace {

net::HttpServerLimits server_limits(const HealthLimits& limits) {
    net::HttpServerLimits out;
    out.connections = limits.connections;
    out.head_bytes = limits.head_bytes;
    out.header_timeout = limits.header_timeout;
    out.idle_timeout = limits.idle_timeout;
    return out;
}

}  // namespace

struct HealthServer::State final : net::HttpPages {
    State(boost::asio::io_context& loop, config::Address address, HealthSource& what, const HealthLimits& limits)
        : source(what), server(loop, std::move(address), *this, server_limits(limits)) {}

    Task<net::HttpAnswer> answer(const net::HttpRequest& request) override { co_return health::answer(request.head, source); }
    net::HttpAnswer refuse(net::HttpRefusal refusal) override { return health::answer(refusal); }

    HealthSource& source;
    net::HttpServer server;
};

HealthServer::HealthServer(boost::asio::io_context& loop, config::Address address, HealthSource& source,
                           const HealthLimits& limits)
    : state_(std::make_unique<State>(loop, std::move(address), source, limits)) {}

HealthServer::~HealthServer() = default;

void HealthServer::start() {
    state_->server.start();
}

void HealthServer::stop() {
    state_->server.stop();
}

std::uint16_t HealthServer::port() const {
    return state_->server.port();
}

}  // namespace onceward::health
