#pragma once

#include "net/listener.hpp"
#include "net/socket_file.hpp"
#include "proxy/loop.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace onceward::app {

namespace asio = boost::asio;

/// One event loop with what belongs to it. The io_context is the last to go: what waits on it is destroyed before.
struct Worker {
    using Timer =
        asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, net::Executor>;

    Worker(const config::Options& options, upstream::Permits& permits, proxy::ConnectionCount& connections)
        : loop(io, options.upstream, permits, connections) {}

    /// Sockets belong to this loop alone, so they need no locks; what other threads hand over goes through the scheduler, which
    /// has one.
    asio::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
    /// A loop without requests of its own still answers for its part of a store that the loops share, to the end of the drain.
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    proxy::Loop loop;
    std::vector<net::Acceptor> acceptors;
    std::vector<net::SocketFile> socket_files;  ///< of all loops' sockets, in the first worker alone
    std::atomic<bool> drained{false};
    Timer rest_timer{io.get_executor()};
};
using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace onceward::app
