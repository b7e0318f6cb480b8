#pragma once

#include "config/report.hpp"
#include "onceward/config/options.hpp"

/// @file
/// What one value alone can't show: combinations that are refused, and doubtful ones, which are warnings.

namespace onceward::config {

/// `cursor` is at the route, its defaults merged in; `options.routes` holds the routes before it.
void check_route(const Cursor& cursor, const Options& options, const Route& route);

/// Whether clients of some listener have to show a certificate.
bool supplies_subjects(const Options& options);

/// `cursor` is at the root.
void check_options(const Cursor& cursor, const Options& options);

}  // namespace onceward::config
