#include "config/former_routes.hpp"

#include "config/route_identity.hpp"
#include "onceward/route/precedence.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

using route::Shift;

bool guards(const Route& route) {
    return route.mode != Mode::off;
}

bool is_new(const Shift& shift, const std::vector<Shift>& known) {
    return std::none_of(known.begin(), known.end(), [&](const Shift& other) {
        return other.kind == shift.kind && other.before == shift.before && other.after == shift.after;
    });
}

bool guards_less(const std::vector<Route>& before, const std::vector<Route>& after) {
    const auto found = route::shifts(before, after);
    return std::any_of(found.begin(), found.end(), [](const Shift& shift) { return shift.kind == Shift::Kind::unguarded; });
}

std::string sentence(const Shift& shift) {
    const auto target = shift.method + " " + shift.path;
    if (shift.kind == Shift::Kind::rebound) {
        return named(shift.after) + ".path: its key or scope is read from another segment of " + target +
               " than when it was guarded before" + std::string(another_record);
    }
    return named(shift.after) + ": it guards what " + named(shift.before) + " guarded before, such as " + target +
           ", and does not find the keys that are remembered of " + named(shift.before) + std::string(another_record);
}

/// Targets that nothing guards in `running` and that were guarded before: another change of guard is refused as it is.
void compare_targets(const std::vector<Route>& before, const Options& running, const Options& next,
                     std::vector<std::string>& warnings) {
    const auto known = route::shifts(before, running.routes);
    for (const auto& shift : route::shifts(before, next.routes)) {
        if (shift.kind != Shift::Kind::unguarded && is_new(shift, known)) {
            warnings.push_back(sentence(shift));
        }
    }
}

milliseconds remembered(const std::vector<Route>& routes) {
    milliseconds longest{0};
    for (const auto& route : routes) {
        longest = std::max(longest, std::max(route.retention, route.unknown_retention) + route.tombstone);
    }
    return longest;
}

}  // namespace

void compare_former(const std::vector<FormerRoutes>& former, const Options& running, const Options& next,
                    std::vector<std::string>& warnings) {
    std::vector<std::string> found;
    for (const auto& earlier : former) {
        compare_targets(earlier.routes, running, next, found);
        for (const auto& route : next.routes) {
            const auto* old = find_route(earlier.routes, route.name);
            if (old != nullptr && guards(*old) && guards(route) && find_route(running.routes, route.name) == nullptr) {
                const auto changes = identity_changes({running, *old}, {next, route});
                found.insert(found.end(), changes.begin(), changes.end());
            }
        }
    }
    for (auto& warning : found) {
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
            warnings.push_back(std::move(warning));
        }
    }
}

std::vector<FormerRoutes> retire(std::vector<FormerRoutes> former, const Options& running, const Options& next, Deadline now) {
    former.push_back({running.routes, now + remembered(running.routes)});
    former.erase(std::remove_if(former.begin(), former.end(),
                                [&](const FormerRoutes& earlier) {
                                    return earlier.until <= now || !guards_less(earlier.routes, next.routes);
                                }),
                 former.end());
    if (former.size() > former_routes_max) {
        former.erase(former.begin());
    }
    return former;
}

}  // namespace onceward::config
