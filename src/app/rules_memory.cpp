#include "app/rules_memory.hpp"

#include "onceward/config/reload.hpp"
#include "onceward/telemetry/log.hpp"

#include <string>
#include <utility>

namespace onceward::app {

namespace {

void tell_changes(const std::string& former, const config::Options& now) {
    if (former.empty()) {
        return;
    }
    const auto changes = config::identity_changes_since(former, now);
    if (!changes) {
        telemetry::info("what keys meant before this start can't be read: nothing is compared with it");
        return;
    }
    for (const auto& change : *changes) {
        telemetry::warn("since the last start remembered keys mean something else", {{"change", change}});
    }
}

}  // namespace

Task<> RulesMemory::remember(proxy::Loop& loop, proxy::PlanPtr plan) {
    if (lost_.exchange(false)) {
        remembered_ = nullptr;
    }
    if (plan == remembered_) {
        co_return;
    }
    const auto rules = config::identity_text(plan->options);
    const auto until = std::chrono::steady_clock::now() + plan->options.store.timeout;
    const auto former = co_await loop.store->replace_rules(rules, until);
    if (!former) {
        telemetry::debug("the store does not remember what keys mean", {{"error", former.error().message()}});
        co_return;
    }
    if (!std::exchange(told_, true)) {
        tell_changes(former.value(), plan->options);
    }
    remembered_ = std::move(plan);
}

}  // namespace onceward::app
