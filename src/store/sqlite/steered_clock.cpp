#include "store/sqlite/steered_clock.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>

namespace onceward::store {

namespace {

microseconds read_clock(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return seconds{time.tv_sec} + std::chrono::duration_cast<microseconds>(std::chrono::nanoseconds{time.tv_nsec});
}

}  // namespace

HostTime read_host_time() {
    return {read_clock(CLOCK_BOOTTIME), read_clock(CLOCK_REALTIME)};
}

namespace sqlite {

namespace {

constexpr int slowest = 100;  ///< one part in so many
constexpr microseconds largest_step = milliseconds{100};

}  // namespace

SteeredClock::SteeredClock(const HostTime& host, const std::string& boot_id, const std::optional<ClockMark>& mark)
    : boot_id_(boot_id), last_boot_(host.boot) {
    if (!mark) {
        latest_ = StoreTime{host.wall};
    } else if (!boot_id.empty() && mark->boot_id == boot_id && mark->boot <= host.boot) {
        latest_ = mark->store + (host.boot - mark->boot);
    } else {
        latest_ = std::max(StoreTime{host.wall}, mark->store);
    }
    offset_ = latest_.time_since_epoch() - host.boot;
    wall_ahead_ = host.wall - latest_.time_since_epoch();
}

StoreTime SteeredClock::advance(const HostTime& host) {
    const auto elapsed = std::max(host.boot - last_boot_, microseconds{0});
    last_boot_ = std::max(host.boot, last_boot_);
    wall_ahead_ = host.wall - (last_boot_ + offset_);
    const auto step = std::min<microseconds>(elapsed / slowest, largest_step);
    offset_ += std::clamp(wall_ahead_, -step, step);
    latest_ = std::max(latest_, StoreTime{last_boot_ + offset_});
    return latest_;
}

void SteeredClock::observe(StoreTime seen) {
    if (seen > latest_ && seen - latest_ <= far) {
        offset_ += seen - latest_;
        latest_ = seen;
    }
}

std::string read_boot_id() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string id;
    std::getline(file, id);
    return id;
}

}  // namespace sqlite

}  // namespace onceward::store
