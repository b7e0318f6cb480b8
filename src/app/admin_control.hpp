#pragma once

#include "onceward/admin/control.hpp"

#include <functional>
#include <utility>

namespace onceward::app {

/// What the admin listener may ask of the application.
class AdminControl final : public admin::Control {
public:
    using Running = std::function<const config::Options&()>;

    using CountUnknown = std::function<void(guard::UnknownChange)>;

    AdminControl(Running running, CountUnknown count) : running_(std::move(running)), count_(std::move(count)) {}

    const config::Options& running() override { return running_(); }
    Task<admin::ReloadReport> reload() override;
    void count_unknown(guard::UnknownChange change) override { count_(change); }

private:
    Running running_;
    CountUnknown count_;
};

}  // namespace onceward::app
