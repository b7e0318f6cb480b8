#pragma once

#include "onceward/telemetry/access_log.hpp"
#include "onceward/telemetry/route_series.hpp"
#include "proxy/loop.hpp"
#include "proxy/plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onceward::app {

/// Gives the event loops what they answer by, and replaces it while they run. Used on the first loop's thread, or while no loop
/// runs.
class RulesFeed {
public:
    explicit RulesFeed(proxy::PlanPtr plan);

    /// Gives a loop its first rules; the first one attached is the one that this object is used on. The loops go before it.
    void attach(proxy::Loop& loop);
    /// What is configured now.
    [[nodiscard]] const config::Options& options() const { return plan_->options; }
    [[nodiscard]] const proxy::PlanPtr& plan() const { return plan_; }
    /// Hands a plan to every loop by a task of its own: what is under way there keeps its old rules. Returns once all go by it.
    Task<> change(proxy::PlanPtr plan);

    /// Which routes there are numbers of, once more by now.
    const std::vector<std::string>& route_names();
    [[nodiscard]] std::uint64_t access_lines_dropped() const { return access_log_ ? access_log_->dropped() : 0; }

private:
    struct User {
        proxy::Loop* loop;
        telemetry::AccessRing* ring;  ///< none until lines are asked for
    };
    /// What a loop's rules are made of, on its own thread.
    struct Parts {
        proxy::PlanPtr plan;
        std::vector<std::shared_ptr<telemetry::RouteMetrics>> route_metrics;
        telemetry::AccessRing* access;
    };

    static proxy::RulesPtr rules_of(Parts parts);
    Parts parts_for(User& user);
    void name_routes();

    proxy::PlanPtr plan_;
    telemetry::AccessLog silence_{false};
    std::optional<telemetry::AccessLog> access_log_;  ///< from when lines were first asked for: it has a thread
    telemetry::RouteSeries series_;
    std::vector<User> users_;
};

}  // namespace onceward::app
