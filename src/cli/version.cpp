#include "cli/version.hpp"

#include "onceward/version.hpp"
#include "onceward_commit.hpp"

#include <boost/version.hpp>

#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/version.h>
#include <sqlite3.h>

#include <string_view>
#include <vector>

namespace onceward::cli {

namespace {

struct Line {
    std::string_view name;
    std::string value;
};

/// `major * 10000 + minor * 100 + patch`.
std::string dotted(int number) {
    return std::to_string(number / 10'000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

std::string compiler() {
#if defined(__clang__)
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

std::string boost_version() {
    return std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000) + "." +
           std::to_string(BOOST_VERSION % 100);
}

}  // namespace

std::string version_text() {
    const std::vector<Line> lines{
        {"onceward", std::string(version)},
        {"commit", commit},
        {"build", ONCEWARD_BUILD_TYPE},
        {"compiler", compiler()},
        {"stores", "memory sqlite redis"},
        {"Boost", boost_version()},
        {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
        {"SQLite", sqlite3_libversion()},
        {"hiredis", ONCEWARD_HIREDIS_VERSION},
        {"yaml-cpp", ONCEWARD_YAML_CPP_VERSION},
        {"nlohmann/json",
         dotted(NLOHMANN_JSON_VERSION_MAJOR * 10'000 + NLOHMANN_JSON_VERSION_MINOR * 100 + NLOHMANN_JSON_VERSION_PATCH)},
        {"RE2", ONCEWARD_RE2_VERSION},
        {"spdlog", dotted(SPDLOG_VER_MAJOR * 10'000 + SPDLOG_VER_MINOR * 100 + SPDLOG_VER_PATCH)},
        {"fmt", dotted(FMT_VERSION)},
    };
    std::string text;
    for (const auto& line : lines) {
        constexpr std::size_t width = 15;
        text += std::string(line.name) + std::string(width - line.name.size(), ' ') + line.value + "\n";
    }
    return text;
}

}  // namespace onceward::cli
