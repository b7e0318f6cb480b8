#pragma once

#include "net/listener.hpp"
#include "proxy/loop.hpp"

namespace onceward::app {

/// Takes connections until the listener is closed, and serves each by a coroutine of its own. Beyond `limits.connections` a
/// client is told so and closed. When descriptors run out it pauses, instead of spinning.
/// `listener` is its place in `Options::listen`.
Task<> accept_connections(proxy::Loop& loop, net::Acceptor& acceptor, std::size_t listener);

/// Stops listening without losing a connection that the kernel has already queued for this listener (closing it would reset
/// them).
void close_listener(proxy::Loop& loop, net::Acceptor& acceptor, std::size_t listener);

}  // namespace onceward::app
