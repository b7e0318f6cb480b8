#pragma once

#include "config/parsed.hpp"
#include "onceward/config/options.hpp"

#include <filesystem>
#include <string_view>

namespace onceward::config {

/// Where records are kept: kind, url, path and Redis options of a store; the rest keeps its default. Complaints never repeat the
/// url, which may hold a password.
Parsed<Store> parse_store_url(std::string_view url, const std::filesystem::path& directory);

/// The url that leads to the same store from anywhere: a SQLite path is absolute.
std::string effective_url(const Store& store);

/// Whether both are one store, whatever password opens it.
bool is_same_place(const Store& a, const Store& b);

}  // namespace onceward::config
