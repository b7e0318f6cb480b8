#include "app/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace onceward::app {

namespace {

unsigned masked_cores() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
        return 1;
    }
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&mask)));
}

/// Whole cores of a quota in microseconds a period; 0: no limit.
unsigned cores_of(long long quota, long long period) {
    return quota > 0 && period > 0 ? static_cast<unsigned>((quota + period - 1) / period) : 0;
}

unsigned quota_cores() {
    std::string quota;
    long long period = 0;
    if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
        return quota == "max" ? 0 : cores_of(std::strtoll(quota.c_str(), nullptr, 10), period);
    }
    std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    long long v1 = 0;
    return v1_quota >> v1 && v1_period >> period ? cores_of(v1, period) : 0;
}

}  // namespace

unsigned usable_cores() {
    const auto quota = quota_cores();
    const auto cores = masked_cores();
    return quota > 0 ? std::min(quota, cores) : cores;
}

}  // namespace onceward::app
