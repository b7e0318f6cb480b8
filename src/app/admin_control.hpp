#pragma once

#include "app/reload_report.hpp"
#include "onceward/admin/control.hpp"

#include <functional>
#include <utility>

namespace onceward::app {

/// What the admin listener may ask of the application.
class AdminControl final : public admin::Control {
public:
    using Running = std::function<const config::Options&()>;
    using Reload = std::function<Task<ReloadReport>()>;

    using CountUnknown = std::function<void(guard::UnknownChange)>;

    AdminControl(Running running, Reload reload, CountUnknown count)
        : running_(std::move(running)), reload_(std::move(reload)), count_(std::move(count)) {}

    const config::Options& running() override { return running_(); }
    Task<admin::ReloadReport> reload() override;
    void count_unknown(guard::UnknownChange change) override { count_(change); }

private:
    Running running_;
    Reload reload_;
    CountUnknown count_;
};

/// The report in words.
admin::ReloadReport in_words(const ReloadReport& report);

}  // namespace onceward::app
