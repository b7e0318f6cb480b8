#include "app/admin_control.hpp"

namespace onceward::app {

namespace {

std::vector<std::string> texts(const std::vector<config::Finding>& findings) {
    std::vector<std::string> out;
    out.reserve(findings.size());
    for (const auto& finding : findings) {
        out.push_back(to_text(finding));
    }
    return out;
}

admin::ReloadResult result_of(ReloadResult result) {
    switch (result) {
        case ReloadResult::applied:
            return admin::ReloadResult::applied;
        case ReloadResult::unchanged:
            return admin::ReloadResult::unchanged;
        case ReloadResult::rejected:
            break;
    }
    return admin::ReloadResult::rejected;
}

}  // namespace

admin::ReloadReport in_words(const ReloadReport& report) {
    admin::ReloadReport out;
    out.result = result_of(report.result);
    out.changed = report.changes.live;
    out.needs_restart = report.changes.at_start;
    out.refused = report.changes.refused;
    out.errors = texts(report.errors);
    out.warnings = texts(report.warnings);
    out.warnings.insert(out.warnings.end(), report.changes.warnings.begin(), report.changes.warnings.end());
    return out;
}

Task<admin::ReloadReport> AdminControl::reload() {
    const auto report = co_await reload_();
    co_return in_words(report);
}

}  // namespace onceward::app
