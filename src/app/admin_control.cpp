#include "app/admin_control.hpp"

namespace onceward::app {

Task<admin::ReloadReport> AdminControl::reload() {
    admin::ReloadReport report;
    report.result = admin::ReloadResult::rejected;
    report.refused.emplace_back("the configuration is read at a start only");
    co_return report;
}

}  // namespace onceward::app
