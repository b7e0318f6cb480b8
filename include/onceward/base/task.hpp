#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace onceward {

/// What a coroutine of an event loop returns. Typed on the loop's own executor: the polymorphic one costs
/// an allocation and an indirect call at each suspension.
template <typename T = void>
using Task = boost::asio::awaitable<T, boost::asio::io_context::executor_type>;

}  // namespace onceward
