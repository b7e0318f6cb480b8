#include "app/reload_report.hpp"

#include "onceward/base/joined.hpp"
#include "onceward/telemetry/log.hpp"

namespace onceward::app {

namespace {

void log_rejected(const ReloadReport& report, std::string_view cause) {
    for (const auto& error : report.errors) {
        telemetry::error("the configuration has an error", {{"at", to_text(error)}});
    }
    for (const auto& reason : report.changes.refused) {
        telemetry::error("the configuration can't be taken while the process runs", {{"change", reason}});
    }
    telemetry::error("the configuration was not reloaded: the old one goes on",
                     {{"cause", cause},
                      {"errors", static_cast<std::int64_t>(report.errors.size())},
                      {"refused", static_cast<std::int64_t>(report.changes.refused.size())}});
}

}  // namespace

ReloadReport judge(const config::Options& running, const config::Loaded& loaded,
                   const std::vector<config::FormerRoutes>& former) {
    ReloadReport report{ReloadResult::rejected, {}, loaded.errors, loaded.warnings};
    if (!loaded.ok()) {
        return report;
    }
    report.changes = config::compare(running, loaded.options, former);
    if (report.changes.refused.empty()) {
        report.result = report.changes.live.empty() ? ReloadResult::unchanged : ReloadResult::applied;
    }
    return report;
}

void log_report(const ReloadReport& report, std::string_view cause) {
    if (report.result == ReloadResult::rejected) {
        log_rejected(report, cause);
        return;
    }
    if (report.result == ReloadResult::applied) {
        const auto changed = base::joined(report.changes.live, ", ");
        telemetry::info("the configuration was reloaded", {{"cause", cause}, {"changed", changed}});
    } else {
        telemetry::info("the configuration is unchanged", {{"cause", cause}});
    }
    for (const auto& warning : report.warnings) {
        telemetry::warn("the configuration has something doubtful", {{"at", to_text(warning)}});
    }
    for (const auto& warning : report.changes.warnings) {
        telemetry::warn("remembered keys protect less than before", {{"change", warning}});
    }
    if (!report.changes.at_start.empty()) {
        const auto keys = base::joined(report.changes.at_start, ", ");
        telemetry::warn("a part of the configuration needs a restart", {{"keys", keys}});
    }
}

}  // namespace onceward::app
