#include "onceward/admin/server.hpp"

#include "admin/pages.hpp"
#include "net/http_server.hpp"

namespace onceward::admin {

namespace {

net::HttpServerLimits server_limits(const AdminLimits& limits) {
    net::HttpServerLimits out;
    out.connections = limits.connections;
    out.head_bytes = limits.head_bytes;
    out.content_bytes = limits.content_bytes;
    return out;
}

}  // namespace

struct AdminServer::State {
    State(boost::asio::io_context& loop, const config::Admin& admin, const AdminParts& parts, const AdminLimits& limits)
        : deadlines(loop), pages(loop, admin, parts, deadlines), server(loop, admin.address, pages, server_limits(limits)) {}

    net::Deadlines deadlines;
    Pages pages;
    net::HttpServer server;
};

AdminServer::AdminServer(boost::asio::io_context& loop, const config::Admin& admin, const AdminParts& parts,
                         const AdminLimits& limits)
    : state_(std::make_unique<State>(loop, admin, parts, limits)) {}

AdminServer::~AdminServer() = default;

void AdminServer::start() {
    state_->server.start(net::SocketAccess::owner_only);
}

void AdminServer::stop() {
    state_->server.stop();
    state_->deadlines.stop();
}

std::uint16_t AdminServer::port() const {
    return state_->server.port();
}

}  // namespace onceward::admin
