#pragma once

#include "onceward/telemetry/access_log.hpp"
#include "onceward/telemetry/metrics.hpp"
#include "proxy/plan.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <memory>
#include <vector>

namespace onceward::proxy {

/// What one event loop answers by: the plan, and where this loop counts and logs under it. A request takes the loop's rules once
/// and keeps them to its end, whatever is configured meanwhile; so does an execution that outlives its client. Of one event loop:
/// the references are counted without a locked instruction.
struct Rules : boost::intrusive_ref_counter<Rules, boost::thread_unsafe_counter> {
    PlanPtr plan;
    /// One a route, in order; the last for requests that match none. Held: a route that is removed is counted under to the end.
    std::vector<std::shared_ptr<telemetry::RouteMetrics>> route_metrics;
    telemetry::AccessRing* access = nullptr;

    [[nodiscard]] const config::Options& options() const { return plan->options; }
};
using RulesPtr = boost::intrusive_ptr<const Rules>;

}  // namespace onceward::proxy
