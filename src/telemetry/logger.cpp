#include "onceward/base/clock.hpp"
#include "onceward/telemetry/log.hpp"
#include "telemetry/line_writer.hpp"
#include "telemetry/log_line.hpp"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>

namespace onceward::telemetry {
namespace {

/// Slots are laid out in advance, some 400 bytes each.
constexpr std::size_t queue_lines = 512;
constexpr milliseconds patience_at_end{1000};

/// Takes lines that are finished. Called by the one thread of the pool.
class LineSink final : public spdlog::sinks::sink {
public:
    explicit LineSink(int descriptor) : output_(descriptor) {}

    void log(const spdlog::details::log_msg& message) override {
        const auto rest = output_.write({message.payload.data(), message.payload.size()});
        if (!rest.empty()) {
            lost_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void flush() override {}
    void set_pattern(const std::string&) override {}
    void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

    void give_up_after(milliseconds patience) { output_.give_up_after(patience); }
    [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
    LineWriter output_;
    std::atomic<std::uint64_t> lost_{0};
};

struct Writer {
    std::shared_ptr<LineSink> sink;
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
};

/// Changed by `open_log` and `close_log` alone.
Writer& writer() {
    static Writer instance;
    return instance;
}

std::atomic<config::LogLevel> least_level{config::LogLevel::info};
std::atomic<config::LogFormat> line_format{config::LogFormat::json};
/// Null while lines are written directly. What it points to lives until the next `open_log`.
std::atomic<spdlog::async_logger*> queue{nullptr};
std::atomic<std::uint64_t> dropped_before{0};

void write_directly(std::string_view line) {
    LineWriter output{STDERR_FILENO};
    output.give_up_after(patience_at_end);
    if (!output.write(line).empty()) {
        dropped_before.fetch_add(1, std::memory_order_relaxed);
    }
}

void write(config::LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    thread_local std::string line;
    line.clear();
    const LogEvent entry{base::wall_clock(), level, event, fields};
    if (line_format.load(std::memory_order_relaxed) == config::LogFormat::json) {
        append_json_line(line, entry);
    } else {
        append_text_line(line, entry);
    }
    if (auto* logger = queue.load()) {
        logger->log(spdlog::level::info, spdlog::string_view_t{line.data(), line.size()});
    } else {
        write_directly(line);
    }
}

}  // namespace

void open_log(const config::Log& options) {
    close_log();
    set_level(options.level);
    set_format(options.format);
    auto& log = writer();
    log.sink = std::make_shared<LineSink>(STDERR_FILENO);
    log.pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1, block_signals);
    log.logger =
        std::make_shared<spdlog::async_logger>("onceward", log.sink, log.pool, spdlog::async_overflow_policy::overrun_oldest);
    log.logger->set_level(spdlog::level::trace);
    queue = log.logger.get();
}

void close_log() {
    queue = nullptr;
    auto& log = writer();
    if (!log.pool) {
        return;
    }
    log.sink->give_up_after(patience_at_end);
    const auto overrun = log.pool->overrun_counter();
    log.pool.reset();
    dropped_before.fetch_add(overrun + log.sink->lost(), std::memory_order_relaxed);
}

void set_level(config::LogLevel level) {
    least_level = level;
}
config::LogLevel level() {
    return least_level;
}
void set_format(config::LogFormat format) {
    line_format = format;
}

std::uint64_t log_lines_dropped() {
    const auto before = dropped_before.load(std::memory_order_relaxed);
    if (queue.load() == nullptr) {
        return before;
    }
    return before + writer().pool->overrun_counter() + writer().sink->lost();
}

void log(config::LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    if (level >= least_level.load(std::memory_order_relaxed)) {
        write(level, event, fields);
    }
}

void audit(std::string_view event, std::initializer_list<LogField> fields) {
    write(config::LogLevel::info, event, fields);
}

}  // namespace onceward::telemetry
