#include "config/keys.hpp"
#include "config/report.hpp"
#include "config/route_identity.hpp"
#include "config/yaml_document.hpp"
#include "onceward/config/reload.hpp"

#include <algorithm>
#include <array>

namespace onceward::config {

namespace {

constexpr std::size_t text_max = std::size_t{4} * 1024 * 1024;
constexpr std::array<std::string_view, 8> kept_of_routes{"name", "path",  "methods",     "mode",
                                                         "key",  "scope", "fingerprint", "case_sensitive"};

/// The keys are those of the file, and JSON is YAML.
std::optional<Options> parse_identity_text(const std::string& text) {
    if (text.size() > text_max) {
        return std::nullopt;
    }
    const auto document = parse_yaml(text);
    const auto* root = std::get_if<Node>(&document);
    const auto* routes = root != nullptr ? root->find("routes") : nullptr;
    if (routes == nullptr) {
        return std::nullopt;
    }
    Report report("/rules");
    Options options;
    const Cursor cursor{*root, "", report};
    read_keys(cursor, option_keys(), options);
    const auto list = cursor.member(*routes);
    for (std::size_t i = 0; i < list.node.items.size(); ++i) {
        read_keys(list.item(i), route_keys(), options.routes.emplace_back());
    }
    return report.error_count() == 0 ? std::optional(std::move(options)) : std::nullopt;
}

}  // namespace

std::string identity_text(const Options& options) {
    auto routes = Json::array();
    for (const auto& route : options.routes) {
        const auto keys = write_keys(route_keys(), route);
        auto& kept = routes.emplace_back(Json::object());
        for (const auto name : kept_of_routes) {
            kept[std::string(name)] = keys.at(std::string(name));
        }
    }
    return Json{{"upstream", {{"url", "http://127.0.0.1:1"}}},
                {"trusted_proxies", write_keys(option_keys(), options).at("trusted_proxies")},
                {"routes", std::move(routes)}}
        .dump();
}

std::optional<std::vector<std::string>> identity_changes_since(const std::string& former, const Options& next) {
    const auto before = parse_identity_text(former);
    if (!before) {
        return std::nullopt;
    }
    Comparison found;
    compare_identities(*before, next, found);
    auto changes = std::move(found.refused);
    changes.insert(changes.end(), found.warnings.begin(), found.warnings.end());
    return changes;
}

}  // namespace onceward::config
