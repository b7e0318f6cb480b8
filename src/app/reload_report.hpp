#pragma once

#include "onceward/config/load.hpp"
#include "onceward/config/reload.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace onceward::app {

enum class ReloadResult : std::uint8_t {
    applied,    ///< what could change has changed
    unchanged,  ///< nothing that the process goes by differs
    rejected    ///< the old configuration goes on, as a whole
};

/// What came of reading the configuration again.
struct ReloadReport {
    ReloadResult result = ReloadResult::unchanged;
    config::Comparison changes;
    std::vector<config::Finding> errors;  ///< of the file; all of them
    std::vector<config::Finding> warnings;
};

/// What the report says about a new configuration, before anything is done about it. `former` is what the process went by
/// earlier.
ReloadReport judge(const config::Options& running, const config::Loaded& loaded, const std::vector<config::FormerRoutes>& former);

/// One line for each thing that a person should know, `cause` said in the first. Names no value of a secret.
void log_report(const ReloadReport& report, std::string_view cause);

}  // namespace onceward::app
