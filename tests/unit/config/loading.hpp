#pragma once

#include "onceward/config/load.hpp"

#include <string>

namespace onceward::config {

/// The smallest file plus a store; lines 1 to 5. What follows with four blanks belongs to its one route.
inline const std::string smallest =
    "upstream: http://127.0.0.1:3000\n"
    "store: {url: 'memory:'}\n"
    "routes:\n"
    "  - path: /api/orders\n"
    "    methods: [POST]\n";

/// As if it were /etc/onceward/c.yaml.
inline Loaded load(const std::string& text) {
    return load_text(text, "/etc/onceward/c.yaml");
}

/// Every error, a line each, without the directory.
inline std::string errors_of(const Loaded& loaded) {
    std::string out;
    for (const auto& error : loaded.errors) {
        out += to_text(error).substr(std::string("/etc/onceward/").size()) + "\n";
    }
    return out;
}

inline std::string warnings_of(const Loaded& loaded) {
    std::string out;
    for (const auto& warning : loaded.warnings) {
        out += to_text(warning).substr(std::string("/etc/onceward/").size()) + "\n";
    }
    return out;
}

/// The only route of the smallest file with `lines` added.
inline Loaded load_route_lines(const std::string& lines) {
    return load(smallest + lines);
}

}  // namespace onceward::config
