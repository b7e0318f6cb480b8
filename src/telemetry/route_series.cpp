#include "onceward/telemetry/route_series.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>

namespace onceward::telemetry {

void RouteSeries::add_loop(LoopMetrics& loop) {
    ONCEWARD_ASSERT(loop.routes.empty());
    for (std::size_t i = 0; i < names_.size(); ++i) {
        loop.routes.push_back(std::make_shared<RouteMetrics>());
    }
    loops_.push_back(&loop);
}

void RouteSeries::configure(const std::vector<std::string>& route_names) {
    for (auto& state : states_) {
        state.configured = false;
    }
    for (const auto& name : route_names) {
        const auto place = place_of(name);
        if (place < names_.size()) {
            states_[place] = {};
            continue;
        }
        names_.push_back(name);
        states_.emplace_back();
        for (auto* loop : loops_) {
            loop->routes.push_back(std::make_shared<RouteMetrics>());
        }
    }
}

/// Whoever counts under a route holds its numbers, and nobody new comes to them once it is not configured.
bool RouteSeries::in_use(std::size_t place) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [place](const LoopMetrics* loop) { return loop->routes[place].use_count() > 1; });
}

void RouteSeries::forget(Deadline now) {
    for (std::size_t place = names_.size(); place-- > 0;) {
        auto& state = states_[place];
        if (state.configured || in_use(place)) {
            state.unused_since.reset();
            continue;
        }
        if (!state.unused_since) {
            state.unused_since = now;
        }
        if (now - *state.unused_since < lingers) {
            continue;
        }
        const auto at = static_cast<std::ptrdiff_t>(place);
        names_.erase(names_.begin() + at);
        states_.erase(states_.begin() + at);
        for (auto* loop : loops_) {
            loop->routes.erase(loop->routes.begin() + at);
        }
    }
}

std::size_t RouteSeries::place_of(const std::string& route_name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), route_name) - names_.begin());
}

}  // namespace onceward::telemetry
