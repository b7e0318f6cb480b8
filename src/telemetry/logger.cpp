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
#include <mutex>
#include <shared_mutex>

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

/// Held to open, to close and to count: whoever ends the process closes the log, and that may be two threads at once.
std::mutex writer_mutex;

/// Under `writer_mutex`. Changed by `open_log` and `close_log` alone.
Writer& writer() {
    static Writer instance;
    return instance;
}

std::atomic<config::LogLevel> least_level{config::LogLevel::info};
std::atomic<config::LogFormat> line_format{config::LogFormat::json};
/// Held shared while a line goes into the queue: once it was held alone to take the queue away, no thread is at it any more.
std::shared_mutex queue_mutex;
/// Null while lines are written directly.
spdlog::async_logger* queue = nullptr;
std::atomic<std::uint64_t> dropped_before{0};

void set_queue(spdlog::async_logger* next) {
    const std::unique_lock lock(queue_mutex);
    queue = next;
}

bool write_to_queue(std::string_view line) {
    const std::shared_lock lock(queue_mutex);
    if (queue == nullptr) {
        return false;
    }
    queue->log(spdlog::level::info, spdlog::string_view_t{line.data(), line.size()});
    return true;
}

void write_directly(std::string_view line) {
    LineWriter output{STDOUT_FILENO};
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
    if (!write_to_queue(line)) {
        write_directly(line);
    }
}

/// Under `writer_mutex`.
void close_writer() {
    set_queue(nullptr);
    auto& log = writer();
    if (!log.pool) {
        return;
    }
    log.sink->give_up_after(patience_at_end);
    const auto overrun = log.pool->overrun_counter();
    log.pool.reset();
    dropped_before.fetch_add(overrun + log.sink->lost(), std::memory_order_relaxed);
}

}  // namespace

void open_log(const config::Log& options) {
    const std::lock_guard lock(writer_mutex);
    close_writer();
    set_level(options.level);
    set_format(options.format);
    auto& log = writer();
    log.sink = std::make_shared<LineSink>(STDOUT_FILENO);
    log.pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1, block_signals);
    log.logger =
        std::make_shared<spdlog::async_logger>("onceward", log.sink, log.pool, spdlog::async_overflow_policy::overrun_oldest);
    log.logger->set_level(spdlog::level::trace);
    set_queue(log.logger.get());
}

void close_log() {
    const std::lock_guard lock(writer_mutex);
    close_writer();
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
    const std::lock_guard lock(writer_mutex);
    const auto before = dropped_before.load(std::memory_order_relaxed);
    const auto& log = writer();
    return log.pool ? before + log.pool->overrun_counter() + log.sink->lost() : before;
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
