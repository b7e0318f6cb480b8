#pragma once

#include "onceward/base/time.hpp"
#include "onceward/telemetry/metrics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace onceward::telemetry {

/// Which routes the metrics of all event loops have numbers of: those that are configured, and for a while those that were. A
/// route that was removed keeps its series as long as anything still counts under it, and then until scrapes have seen the last
/// of it. Used on the thread that scrapes, or while no loop runs. The loops' metrics outlive it.
class RouteSeries {
public:
    /// Series of a route that nothing counts under any more are shown this long.
    static constexpr std::chrono::minutes lingers{5};

    /// Adds a loop, which has numbers of no route yet.
    void add_loop(LoopMetrics& loop);
    /// Sets the routes that are configured from now on.
    void configure(const std::vector<std::string>& route_names);
    /// Forgets what was removed and has been shown long enough. The more often it is called, the closer it keeps to the time.
    void forget(Deadline now);

    /// In the order of every loop's `LoopMetrics::routes`, as `ScrapeFacts` wants them.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Where the numbers of a configured route stand.
    [[nodiscard]] std::size_t place_of(const std::string& route_name) const;

private:
    struct State {
        bool configured = true;
        std::optional<Deadline> unused_since;
    };

    [[nodiscard]] bool in_use(std::size_t place) const;

    std::vector<std::string> names_;
    std::vector<State> states_;
    std::vector<LoopMetrics*> loops_;
};

}  // namespace onceward::telemetry
