#include "admin/site.hpp"

#include "health/answer.hpp"
#include "onceward/base/ascii.hpp"

#include <array>

namespace onceward::admin {

namespace {

struct Fixed {
    std::string_view path;
    Page page;
};

constexpr std::array fixed_pages{
    Fixed{"/config", Page::config},   Fixed{"/log-level", Page::log_level},   Fixed{"/reload", Page::reload},
    Fixed{"/records", Page::records}, Fixed{"/records/lookup", Page::lookup},
};

std::optional<Place> find_record_page(std::string_view path) {
    constexpr std::string_view prefix = "/records/";
    if (path.substr(0, prefix.size()) != prefix) {
        return std::nullopt;
    }
    const auto rest = path.substr(prefix.size());
    const auto id = rest.substr(0, rest.find('/'));
    const auto action = rest.substr(id.size());
    if (id.empty()) {
        return std::nullopt;
    }
    if (action.empty()) {
        return Place{Page::record, id};
    }
    if (action == "/release") {
        return Place{Page::release, id};
    }
    return action == "/resolve" ? std::optional(Place{Page::resolve, id}) : std::nullopt;
}

}  // namespace

std::optional<Place> find_page(std::string_view path) {
    if (health::is_page(path)) {
        return Place{Page::health};
    }
    for (const auto& each : fixed_pages) {
        if (each.path == path) {
            return Place{each.page};
        }
    }
    return find_record_page(path);
}

std::string_view methods_of(Page page) {
    switch (page) {
        case Page::log_level:
            return "GET, HEAD, PUT";
        case Page::reload:
        case Page::release:
        case Page::resolve:
            return "POST";
        case Page::health:
        case Page::config:
        case Page::records:
        case Page::lookup:
        case Page::record:
            break;
    }
    return "GET, HEAD";
}

bool is_allowed(Page page, std::string_view method) {
    bool found = false;
    base::for_each_list_member(methods_of(page), [&](std::string_view allowed) { found = found || allowed == method; });
    return found;
}

}  // namespace onceward::admin
