#pragma once

#include "onceward/config/options.hpp"
#include "onceward/http/message.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::route {

/// What the routes say about a request (spec section 2.1).
struct Match {
    enum class Kind : std::uint8_t {
        none,      ///< no route: passes untouched
        off,       ///< `index` names a route with `mode: off`: passes untouched
        guarded,   ///< `index` names the route
        ambiguous  ///< no route, but a looser reading of the request would meet a guarded one: 400 BAD_REQUEST
    };
    Kind kind = Kind::none;
    std::size_t index = 0;  ///< into `Options::routes`
    /// The path it was matched by: unreserved characters decoded, dot segments removed, slash runs merged, one trailing slash and
    /// `;params` ignored; case folded unless the route is case-sensitive.
    std::string normalised_path;
    /// Values of `{name}` segments, decoded, in the pattern's order.
    std::vector<std::string> parameters;

    void clear();
};

/// The routes of a configuration, compiled. Immutable after construction; `match` may be called from any thread.
/// Keeps a reference to the options, which must outlive it.
class RouteTable {
public:
    explicit RouteTable(const config::Options& options);
    ~RouteTable();

    /// First route that matches wins. A route with `mode: off` that matches ends the search.
    /// Fills `match` (reusing its capacity).
    void match(const http::RequestHead& head, Match& match) const;

    /// The first route marked in `among` whose pattern meets the request's path, in any reading of it, whatever the method; null:
    /// none.
    [[nodiscard]] const config::Route* path_keeper(const http::RequestHead& head, const std::vector<bool>& among) const;

    /// Names of the `{name}` segments of a route's pattern, in order.
    [[nodiscard]] const std::vector<std::string>& parameter_names(std::size_t index) const;

private:
    struct Compiled;
    using MethodsEqual = bool (*)(std::string_view, std::string_view);

    [[nodiscard]] const Compiled* find(std::string_view path, std::string_view method, MethodsEqual equal) const;
    [[nodiscard]] bool met_by_looser_reading(const http::RequestHead& head, const std::string& path) const;

    std::vector<Compiled> routes_;
    std::set<std::string> guarded_methods_;
};

/// A path pattern that can't be compiled is told in words; empty when fine. Used by the configuration loader.
std::string pattern_error(std::string_view pattern);

}  // namespace onceward::route
