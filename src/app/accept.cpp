#include "app/accept.hpp"

#include "net/linger.hpp"
#include "onceward/reply/problem_reply.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/session.hpp"
#include "proxy/spawn.hpp"
#include "proxy/store_call.hpp"

namespace onceward::app {

namespace {

constexpr milliseconds pause_without_descriptors{100};
/// What a connection that is one too many still has, and how many of these a loop has at once.
constexpr net::LingerLimits last_look{milliseconds{500}, milliseconds{500}, 256UL * 1024};
constexpr std::size_t refused_max = 64;

Task<> serve(proxy::Loop& loop, net::Socket socket, std::size_t listener) {
    --loop.opening_count;
    proxy::Session session(loop, std::move(socket), listener);
    co_await session.run();
}

/// Reads on for a moment, so that the answer is not lost to a reset: the request may still be on its way.
Task<> see_off(proxy::Loop& loop, net::Socket socket) {
    net::Stream stream(std::move(socket), loop.deadlines);
    co_await net::linger(stream, last_look);
    --loop.refused_count;
}

void refuse(proxy::Loop& loop, net::Socket socket, std::size_t listener) {
    reply::ProblemReply problem;
    problem.code = guard::ProblemCode::connection_limit;
    loop.metrics.unmatched.count_request(guard::info(problem.code).status, guard::IdempotencyStatus::passed);
    if (loop.options().listen[listener].tls) {
        return;  // it could not be read, and a handshake is what there is no room for
    }
    problem.retry_after = reply::retry_soon;
    problem.date = loop.date();
    std::string out;
    reply::append_problem(out, problem);
    boost::system::error_code ec;
    socket.non_blocking(true, ec);
    socket.write_some(asio::buffer(out), ec);
    if (!ec && !loop.closing && loop.refused_count < refused_max) {
        ++loop.refused_count;
        proxy::spawn(loop, see_off(loop, std::move(socket)));
    }
}

void take(proxy::Loop& loop, net::Socket socket, std::size_t listener) {
    if (!loop.connections.take()) {
        refuse(loop, std::move(socket), listener);
        return;
    }
    ++loop.opening_count;
    proxy::spawn(loop, serve(loop, std::move(socket), listener));
}

}  // namespace

Task<> accept_connections(proxy::Loop& loop, net::Acceptor& acceptor, std::size_t listener) {
    while (acceptor.is_open()) {
        net::Socket socket(loop.io.get_executor());
        const auto [ec] = co_await acceptor.async_accept(socket, net::use_task);
        if (!ec) {
            take(loop, std::move(socket), listener);
        } else if (ec == asio::error::operation_aborted || ec == asio::error::bad_descriptor) {
            break;
        } else if (ec != asio::error::connection_aborted) {
            telemetry::warn("a connection could not be accepted", {{"error", ec.message()}});
            co_await proxy::pause_for(loop, pause_without_descriptors);
        }
    }
}

void close_listener(proxy::Loop& loop, net::Acceptor& acceptor, std::size_t listener) {
    boost::system::error_code ec;
    while (acceptor.is_open()) {
        net::Socket socket(loop.io.get_executor());
        acceptor.accept(socket, ec);
        if (ec) {
            break;
        }
        take(loop, std::move(socket), listener);
    }
    acceptor.close(ec);
}

}  // namespace onceward::app
