#include "app/reloader.hpp"

#include "net/aside.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/loop.hpp"
#include "proxy/spawn.hpp"
#include "proxy/store_call.hpp"

#include <utility>

namespace onceward::app {

namespace {

using std::chrono::steady_clock;

/// Files are looked at this often whatever the system tells; it does not tell about network file systems.
constexpr seconds slow_look{60};
/// The same where the system tells nothing at all, or not of a directory that is not there or may not be read.
constexpr seconds look_without_watch{2};
/// Files that look the same twice, this far apart, are taken for written to the end. Some programs write in several steps.
constexpr milliseconds settle_time{100};
constexpr int settle_looks_max = 50;

}  // namespace

Reloader::Reloader(proxy::Loop& loop, Supervisor& supervisor, std::string file, std::vector<config::SourceFile> files,
                   Target target)
    : loop_(loop),
      supervisor_(supervisor),
      file_(std::move(file)),
      files_(std::move(files)),
      target_(std::move(target)),
      file_watch_(loop.io) {
    facts_.last_success = std::chrono::system_clock::now();
}

/// Whether something may have happened that was not told.
bool Reloader::watch_files() {
    std::vector<FilePlace> places;
    for (const auto& file : files_) {
        const auto of_file = places_of(file.path);
        places.insert(places.end(), of_file.begin(), of_file.end());
    }
    return file_watch_.set_places(places);
}

Task<std::vector<config::SourceFile>> Reloader::look() const {
    auto work = [files = files_] { return config::as_they_are(files); };
    auto seen = co_await net::aside(loop_.io, std::move(work));
    co_return seen;
}

/// Whether the files are others than those of the latest attempt, once they have settled.
Task<bool> Reloader::changed() {
    auto seen = co_await look();
    if (seen == files_) {
        co_return false;
    }
    for (int looks = 0; looks < settle_looks_max && !stopping_; ++looks) {
        co_await proxy::pause_for(loop_, settle_time);
        auto again = co_await look();
        if (again == seen) {
            break;
        }
        seen = std::move(again);
    }
    co_return seen != files_;
}

Task<> Reloader::watch() {
    if (file_watch_.works()) {
        proxy::spawn(loop_, file_watch_.run());
    }
    while (!stopping_) {
        // Before each look: what happens behind it is told, also where a link leads elsewhere now or a directory is another.
        watch_files();
        // At first at once: the files may have changed since they were read.
        const bool other = co_await changed();
        if (other && !stopping_) {
            co_await reload("file");
        }
        const auto pause = file_watch_.is_whole() ? slow_look : look_without_watch;
        co_await file_watch_.changed().wait_until(loop_.deadlines, steady_clock::now() + pause);
        file_watch_.changed().take();
    }
}

void Reloader::stop() {
    stopping_ = true;
    file_watch_.stop();
}

Task<> Reloader::take_turn() {
    if (!std::exchange(busy_, true)) {
        co_return;
    }
    Turn turn(loop_.io);
    turns_.push_back(turn);
    co_await turn.mine.wait();
    turn.mine.take();
}

void Reloader::end_turn() {
    if (turns_.empty()) {
        busy_ = false;
        return;
    }
    auto& next = turns_.front();
    turns_.pop_front();
    next.mine.set();
}

Task<Reloader::Attempt> Reloader::read() const {
    const auto& running = target_.running();
    auto work = [file = file_, running, former = former_] {
        Attempt out;
        out.loaded = config::load_file(file, config::Pipes::are_refused);
        out.report = judge(running, out.loaded, former);
        out.former = former;
        if (out.report.result == ReloadResult::applied) {
            out.former = config::retire(former, running, out.loaded.options, steady_clock::now());
            out.plan = std::make_shared<const proxy::Plan>(config::taken_live(running, out.loaded.options));
        }
        return out;
    };
    auto attempt = co_await net::aside(loop_.io, std::move(work));
    co_return attempt;
}

void Reloader::note(const ReloadReport& report) {
    facts_.failed = report.result == ReloadResult::rejected;
    switch (report.result) {
        case ReloadResult::applied:
            ++facts_.applied;
            break;
        case ReloadResult::unchanged:
            ++facts_.unchanged;
            break;
        case ReloadResult::rejected:
            ++facts_.rejected;
            return;
    }
    facts_.last_success = std::chrono::system_clock::now();
    needs_restart_ = report.changes.at_start;
    facts_.restart_needed = !needs_restart_.empty();
}

/// For who looks at the process from outside.
std::string Reloader::remark() const {
    if (facts_.failed) {
        return "the latest configuration is not used";
    }
    return facts_.restart_needed ? "a part of the configuration needs a restart" : "";
}

Task<ReloadReport> Reloader::reload(std::string_view cause) {
    const std::string why(cause);
    co_await take_turn();
    if (stopping_) {
        end_turn();
        ReloadReport stopping;
        stopping.result = ReloadResult::rejected;
        stopping.errors.push_back({file_, 0, 0, {}, "not read: the process is stopping"});
        co_return stopping;
    }
    supervisor_.reloading();
    auto attempt = co_await read();
    files_ = attempt.loaded.files;
    former_ = std::move(attempt.former);
    if (attempt.plan) {
        co_await target_.take(std::move(attempt.plan));
    }
    note(attempt.report);
    log_report(attempt.report, why);
    if (watch_files()) {
        file_watch_.changed().set();
    }
    supervisor_.reloaded(remark());
    end_turn();
    co_return std::move(attempt.report);
}

}  // namespace onceward::app
