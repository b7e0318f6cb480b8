#pragma once

#include "net/use_task.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

namespace onceward {
namespace asio = boost::asio;
}

namespace onceward::net {

using Executor = asio::io_context::executor_type;
/// A connected TCP or unix socket of one event loop.
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;

}  // namespace onceward::net
