#pragma once

#include "onceward/base/task.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace onceward {
namespace asio = boost::asio;
}

namespace onceward::net {

using Executor = asio::io_context::executor_type;
/// A connected TCP or unix socket of one event loop.
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;

/// Completion token of every operation here: errors as values, coroutines typed on the loop's executor.
inline constexpr auto use_task = asio::as_tuple(asio::use_awaitable_t<Executor>{});

}  // namespace onceward::net
