#pragma once

#include "onceward/route/route_table.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onceward::test {

inline config::Options options(const std::vector<std::pair<std::string, std::string>>& name_and_path) {
    config::Options result;
    for (const auto& [name, path] : name_and_path) {
        config::Route& route = result.routes.emplace_back();
        route.name = name;
        route.path = path;
    }
    return result;
}

/// A head as the parser leaves it. `target` is in origin-form or `*`.
inline http::RequestHead request(std::string_view method, std::string_view target) {
    http::RequestHead head;
    head.method = method;
    head.target = target;
    const auto mark = target.find('?');
    head.path = target.substr(0, mark);
    head.has_query = mark != std::string_view::npos;
    head.query = head.has_query ? target.substr(mark + 1) : std::string_view{};
    head.host = "shop.test";
    return head;
}

inline route::Match match(const config::Options& options, const http::RequestHead& head) {
    route::Match found;
    route::RouteTable(options).match(head, found);
    return found;
}

}  // namespace onceward::test
