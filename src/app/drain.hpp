#pragma once

#include "app/supervisor.hpp"
#include "app/worker.hpp"
#include "net/event.hpp"

#include <string>

namespace onceward::app {

/// Loops that have not come to rest this long after the drain are not waited for.
inline constexpr seconds stop_limit{5};

/// Ends what the event loops do, without losing a request: they serve on for `shutdown_min`, then take no new connection, and
/// what is under way has `shutdown_grace`. What is left then is marked UNKNOWN. Of the first loop.
class Drain {
public:
    /// Both outlive it.
    Drain(Workers& workers, Supervisor& supervisor);

    /// From the signal to the end of the last request, or of the time. Called once.
    Task<> run(const config::Options& options);

private:
    struct Numbers {
        std::int64_t in_flight = 0;
        std::int64_t executions = 0;
        std::int64_t connections = 0;
    };

    [[nodiscard]] Numbers numbers() const;
    Task<> report();
    static Task<> drain_worker(Worker& worker, Deadline until);
    [[nodiscard]] bool all_drained() const;

    Workers& workers_;
    Supervisor& supervisor_;
    net::Event over_;
    Deadline serve_until_{};
    Deadline until_{};
};

}  // namespace onceward::app
