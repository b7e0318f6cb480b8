#pragma once

#include "onceward/base/tagged.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// @file
/// The pages of the admin listener by their paths, and what may be done with each. Pure.

namespace onceward::admin {

enum class Page : std::uint8_t { health, config, log_level, reload, records, lookup, record, release, resolve };

struct Place {
    Page page = Page::health;
    std::string_view id = {};  ///< as it stands in the path; of `record`, `release` and `resolve`
};

/// Nothing where there is no page.
std::optional<Place> find_page(std::string_view path);

/// The value of `Allow`.
std::string_view methods_of(Page page);
bool is_allowed(Page page, std::string_view method);

}  // namespace onceward::admin
