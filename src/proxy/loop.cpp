#include "proxy/loop.hpp"

#include "onceward/base/clock.hpp"
#include "proxy/session.hpp"

namespace onceward::proxy {

Loop::Loop(boost::asio::io_context& io_context, const config::Upstream& upstream, upstream::Permits& permits,
           ConnectionCount& connection_count)
    : io(io_context),
      deadlines(io_context),
      pool(io_context, deadlines, upstream, permits),
      ids(io_context, deadlines),
      connections(connection_count),
      executions(*this) {}

Loop::~Loop() = default;

std::string_view Loop::date() {
    const auto now = std::chrono::floor<seconds>(base::wall_clock().time_since_epoch());
    return dates.at(std::chrono::sys_seconds{now});
}

}  // namespace onceward::proxy
