#pragma once

#include "onceward/admin/control.hpp"

#include <functional>

namespace onceward::app {

/// What the admin listener may ask of the application.
class AdminControl final : public admin::Control {
public:
    using Running = std::function<const config::Options&()>;

    explicit AdminControl(Running running) : running_(std::move(running)) {}

    const config::Options& running() override { return running_(); }
    Task<admin::ReloadReport> reload() override;

private:
    Running running_;
};

}  // namespace onceward::app
