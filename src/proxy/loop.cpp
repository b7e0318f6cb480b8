#include "proxy/loop.hpp"

#include "onceward/base/clock.hpp"
#include "proxy/session.hpp"

namespace onceward::proxy {

Loop::Loop(boost::asio::io_context& io_context, const Plan& the_plan, upstream::Permits& permits,
           ConnectionCount& connection_count, telemetry::AccessRing& access_ring)
    : io(io_context),
      plan(the_plan),
      deadlines(io_context),
      pool(io_context, deadlines, the_plan.options.upstream, permits),
      metrics(the_plan.options.routes.size()),
      access(access_ring),
      ids(io_context, deadlines),
      connections(connection_count),
      executions(*this) {}

Loop::~Loop() = default;

std::string_view Loop::date() {
    const auto now = std::chrono::floor<seconds>(base::wall_clock().time_since_epoch());
    return dates.at(std::chrono::sys_seconds{now});
}

}  // namespace onceward::proxy
