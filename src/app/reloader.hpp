#pragma once

#include "app/file_watch.hpp"
#include "app/reload_report.hpp"
#include "app/supervisor.hpp"
#include "onceward/telemetry/metrics.hpp"
#include "proxy/plan.hpp"

#include <boost/intrusive/list.hpp>

#include <functional>
#include <string>
#include <vector>

namespace onceward::proxy {
struct Loop;
}

namespace onceward::app {

/// Reads the configuration again, when it is asked to or when the files changed, and hands what is valid to the process. Reading
/// and checking happen on a thread of their own: requests do not wait for them. Of the first loop.
class Reloader {
public:
    /// What the process goes by, and how it goes by another plan: returns once every loop does.
    struct Target {
        std::function<const config::Options&()> running;
        std::function<Task<>(proxy::PlanPtr)> take;
    };

    /// `files` are those that the running configuration was made of, `file` itself the first.
    Reloader(proxy::Loop& loop, Supervisor& supervisor, std::string file, std::vector<config::SourceFile> files, Target target);

    /// Looks at the files until `stop`, and reloads when one of them is another. Started once.
    Task<> watch();
    void stop();

    /// Reads the configuration again, whether or not it changed; `cause` is for the log. Attempts come one after the other, so
    /// that the report is about files that were read after this call. Rejected once the process is stopping.
    Task<ReloadReport> reload(std::string_view cause);

    /// The latest attempt was rejected.
    [[nodiscard]] bool failed() const { return facts_.failed; }
    /// What the files say and only a start reads.
    [[nodiscard]] const std::vector<std::string>& needs_restart() const { return needs_restart_; }
    [[nodiscard]] const telemetry::ReloadFacts& facts() const { return facts_; }

private:
    struct Turn : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Turn(asio::io_context& loop) : mine(loop) {}
        net::Event mine;
    };
    struct Attempt {
        config::Loaded loaded;
        ReloadReport report;
        proxy::PlanPtr plan;  ///< what is to be taken; none: nothing
        std::vector<config::FormerRoutes> former;
    };

    Task<> take_turn();
    void end_turn();
    Task<Attempt> read() const;
    Task<bool> changed();
    Task<std::vector<config::SourceFile>> look() const;
    void note(const ReloadReport& report);
    [[nodiscard]] std::string remark() const;
    bool watch_files();

    proxy::Loop& loop_;
    Supervisor& supervisor_;
    std::string file_;
    std::vector<config::SourceFile> files_;  ///< as the latest attempt read them
    Target target_;
    std::vector<config::FormerRoutes> former_;  ///< whose keys may still be remembered
    FileWatch file_watch_;
    bool busy_ = false;
    bool stopping_ = false;
    boost::intrusive::list<Turn, boost::intrusive::constant_time_size<false>> turns_;
    telemetry::ReloadFacts facts_;
    std::vector<std::string> needs_restart_;
};

}  // namespace onceward::app
