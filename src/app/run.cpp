#include "onceward/app/run.hpp"

#include "app/application.hpp"
#include "onceward/telemetry/log.hpp"

#include <malloc.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace onceward::app {

namespace {

/// Freed memory goes back to the system, and threads do not keep arenas of their own: a sidecar's memory should follow its load.
void tune_allocator() {
    // NOLINTBEGIN(concurrency-mt-unsafe): there is one thread yet
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace

int run(const std::string& file, config::Loaded configuration) {
    std::signal(SIGPIPE, SIG_IGN);
    // What rotates logs sends these to whoever has any. Here logs go to the standard streams: there is nothing to open again.
    std::signal(SIGUSR1, SIG_IGN);
    std::signal(SIGUSR2, SIG_IGN);
    tune_allocator();
    telemetry::open_log(configuration.options.log);
    int code = EXIT_FAILURE;
    try {
        Application application(file, std::move(configuration));
        code = application.run();
    } catch (const std::exception& failure) {
        telemetry::error("could not start", {{"error", std::string_view(failure.what())}});
    }
    telemetry::close_log();
    return code;
}

}  // namespace onceward::app
