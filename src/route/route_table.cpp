#include "onceward/route/route_table.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/assert.hpp"
#include "route/loose_reading.hpp"
#include "route/path_pattern.hpp"

#include <algorithm>
#include <utility>

namespace onceward::route {

struct RouteTable::Compiled {
    const config::Route* route;
    PathPattern pattern;

    [[nodiscard]] bool guards() const { return route->mode != config::Mode::off; }
    [[nodiscard]] bool takes(std::string_view method, MethodsEqual equal) const {
        return std::any_of(route->methods.begin(), route->methods.end(),
                           [&](const std::string& own) { return equal(own, method); });
    }
};

namespace {

bool same_method(std::string_view a, std::string_view b) {
    return a == b;
}

PathPattern compile(const config::Route& route) {
    auto parsed = PathPattern::parse(route.path, route.case_sensitive ? PathCase::kept : PathCase::folded);
    auto* pattern = std::get_if<PathPattern>(&parsed);
    // The loader has refused what does not parse.
    ONCEWARD_ASSERT(pattern != nullptr);
    return std::move(*pattern);
}

}  // namespace

void Match::clear() {
    kind = Kind::none;
    index = 0;
    normalised_path.clear();
    parameters.clear();
}

RouteTable::RouteTable(const config::Options& options) {
    routes_.reserve(options.routes.size());
    for (const auto& route : options.routes) {
        routes_.push_back({&route, compile(route)});
        if (routes_.back().guards()) {
            guarded_methods_.insert(route.methods.begin(), route.methods.end());
        }
    }
}

RouteTable::~RouteTable() = default;

const RouteTable::Compiled* RouteTable::find(std::string_view path, std::string_view method, MethodsEqual equal) const {
    for (const auto& compiled : routes_) {
        if (compiled.pattern.matches(path) && compiled.takes(method, equal)) {
            return &compiled;
        }
    }
    return nullptr;
}

bool RouteTable::met_by_looser_reading(const http::RequestHead& head, const std::string& path) const {
    std::vector<std::string> readings;
    for (const auto& method : guarded_methods_) {
        if (!may_mean_method(head, method)) {
            continue;
        }
        if (readings.empty()) {
            auto loose = loose_paths(head.path);
            if (!loose) {
                return true;
            }
            readings = std::move(*loose);
            readings.push_back(path);
        }
        const bool met = std::any_of(readings.begin(), readings.end(), [&](const std::string& reading) {
            const auto* compiled = find(reading, method, base::iequals);
            return compiled != nullptr && compiled->guards();
        });
        if (met) {
            return true;
        }
    }
    return false;
}

void RouteTable::match(const http::RequestHead& head, Match& match) const {
    match.clear();
    auto& path = match.normalised_path;
    append_normalised_path(path, head.path, PathParameters::dropped, PathCase::kept);
    const auto* compiled = find(path, head.method, same_method);
    if (compiled != nullptr) {
        match.index = static_cast<std::size_t>(compiled - routes_.data());
    }
    if (compiled != nullptr && compiled->guards()) {
        match.kind = Match::Kind::guarded;
        compiled->pattern.bind(path, match.parameters);
        if (compiled->pattern.path_case() == PathCase::folded) {
            fold_path(path);
        }
    } else if (met_by_looser_reading(head, path)) {
        match.kind = Match::Kind::ambiguous;
    } else if (compiled != nullptr) {
        match.kind = Match::Kind::off;
    }
}

const config::Route* RouteTable::path_keeper(const http::RequestHead& head, const std::vector<bool>& among) const {
    auto loose = loose_paths(head.path);
    auto readings = loose.value_or(std::vector<std::string>{});
    append_normalised_path(readings.emplace_back(), head.path, PathParameters::dropped, PathCase::kept);
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const auto meets = [&](const std::string& reading) { return routes_[i].pattern.matches(reading); };
        if (among[i] && (!loose || std::any_of(readings.begin(), readings.end(), meets))) {
            return routes_[i].route;
        }
    }
    return nullptr;
}

const std::vector<std::string>& RouteTable::parameter_names(std::size_t index) const {
    return routes_[index].pattern.names();
}

}  // namespace onceward::route
