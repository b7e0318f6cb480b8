#include "telemetry/process_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace onceward::telemetry {
namespace {

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

struct Memory {
    std::uint64_t virtual_bytes = 0;
    std::uint64_t resident_bytes = 0;
};

std::optional<Memory> memory() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    const auto page = ::sysconf(_SC_PAGESIZE);
    if (page <= 0 || !(statm >> size >> resident)) {
        return {};
    }
    return Memory{size * static_cast<std::uint64_t>(page), resident * static_cast<std::uint64_t>(page)};
}

std::optional<std::uint64_t> open_descriptors() {
    std::error_code ec;
    std::uint64_t count = 0;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", ec), end; !ec && entry != end; entry.increment(ec)) {
        ++count;
    }
    if (ec || count == 0) {
        return {};
    }
    return count - 1;  // the one that reads the directory
}

/// Ticks from boot to the start of the process: field 22 of proc(5) stat, counted behind the name, which may hold blanks.
std::optional<std::uint64_t> start_ticks() {
    std::ifstream file("/proc/self/stat");
    std::string stat;
    if (!std::getline(file, stat) || stat.rfind(')') == std::string::npos) {
        return {};
    }
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) {
        fields >> skipped;
    }
    std::uint64_t ticks = 0;
    if (!(fields >> ticks)) {
        return {};
    }
    return ticks;
}

std::optional<std::uint64_t> boot_time() {
    std::ifstream stat("/proc/stat");
    std::string word;
    while (stat >> word) {
        std::uint64_t since_epoch = 0;
        if (word == "btime" && stat >> since_epoch) {
            return since_epoch;
        }
    }
    return {};
}

std::optional<double> start_time() {
    const auto ticks = start_ticks();
    const auto boot = boot_time();
    const auto per_second = ::sysconf(_SC_CLK_TCK);
    if (!ticks || !boot || per_second <= 0) {
        return {};
    }
    return static_cast<double>(*boot) + static_cast<double>(*ticks) / static_cast<double>(per_second);
}

}  // namespace

void append_process_metrics(MetricText& text) {
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) {
        text.family("process_cpu_seconds_total", MetricType::counter, "User and system CPU time spent, in seconds.");
        text.sample({}, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    }
    if (const auto bytes = memory()) {
        text.family("process_resident_memory_bytes", MetricType::gauge, "Resident memory, in bytes.");
        text.sample({}, bytes->resident_bytes);
        text.family("process_virtual_memory_bytes", MetricType::gauge, "Virtual memory, in bytes.");
        text.sample({}, bytes->virtual_bytes);
    }
    if (const auto count = open_descriptors()) {
        text.family("process_open_fds", MetricType::gauge, "Open file descriptors.");
        text.sample({}, *count);
    }
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
        text.family("process_max_fds", MetricType::gauge, "Most file descriptors that the process may open.");
        text.sample({}, std::uint64_t{descriptors.rlim_cur});
    }
    if (const auto seconds = start_time()) {
        text.family("process_start_time_seconds", MetricType::gauge, "Start of the process, in seconds since 1970.");
        text.sample({}, *seconds);
    }
}

}  // namespace onceward::telemetry
