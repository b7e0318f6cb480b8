#include "catch.hpp"
#include "onceward/telemetry/log.hpp"
#include "pipe.hpp"

#include <nlohmann/json.hpp>

#include <thread>

using namespace onceward;
using namespace onceward::telemetry;
using test::Pipe;
using test::StandardOutputTo;

namespace {

/// What reaches standard output between `open_log(options)` and `close_log()`.
template <typename Logging>
std::vector<std::string> logged(const config::Log& options, Logging logging) {
    Pipe pipe;
    {
        const StandardOutputTo standard_output(pipe);
        open_log(options);
        logging();
        close_log();
    }
    pipe.close_writer();
    return test::split_lines(pipe.read_to_end());
}

config::Log at_level(config::LogLevel least) {
    return {least, config::LogFormat::json, true};
}

}  // namespace

TEST_CASE("lines reach standard output in order, whole, by the time the log is closed") {
    const auto lines = logged(at_level(config::LogLevel::info), [] {
        for (std::int64_t i = 0; i < 100; ++i) {
            info("counted", {{"i", i}});
        }
    });
    REQUIRE(lines.size() == 100);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto line = nlohmann::json::parse(lines[i]);
        CHECK(line["event"] == "counted");
        CHECK(line["level"] == "info");
        CHECK(line["i"] == i);
    }
}

TEST_CASE("the configured level leaves out what is below it, and can be changed while the log is open") {
    const auto lines = logged(at_level(config::LogLevel::warn), [] {
        info("left out");
        warn("first");
        set_level(config::LogLevel::debug);
        CHECK(level() == config::LogLevel::debug);
        debug("second");
        set_level(config::LogLevel::error);
        warn("left out");
        error("third");
    });
    REQUIRE(lines.size() == 3);
    CHECK(nlohmann::json::parse(lines[0])["event"] == "first");
    CHECK(nlohmann::json::parse(lines[1])["event"] == "second");
    CHECK(nlohmann::json::parse(lines[2])["event"] == "third");
}

TEST_CASE("the text format is written when it is configured") {
    const auto lines = logged({config::LogLevel::info, config::LogFormat::text, true}, [] { info("started"); });
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].substr(24) == " info  started");
}

TEST_CASE("after the log is closed lines are still written, directly") {
    Pipe pipe;
    {
        const StandardOutputTo standard_output(pipe);
        open_log(at_level(config::LogLevel::info));
        close_log();
        error("late");
    }
    pipe.close_writer();
    CHECK(nlohmann::json::parse(pipe.read_to_end())["event"] == "late");
}

TEST_CASE("lines of several threads are not mixed") {
    const auto lines = logged(at_level(config::LogLevel::info), [] {
        std::vector<std::thread> threads;
        for (std::int64_t t = 0; t < 4; ++t) {
            threads.emplace_back([t] {
                for (std::int64_t i = 0; i < 50; ++i) {
                    info("threaded", {{"t", t}, {"i", i}});
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    });
    REQUIRE(lines.size() == 200);
    std::array<std::int64_t, 4> next{};
    for (const auto& text : lines) {
        const auto line = nlohmann::json::parse(text);
        CHECK(line["i"] == next.at(line["t"].get<std::size_t>())++);
    }
}

TEST_CASE("a standard output that takes nothing blocks nobody: the oldest lines go and are counted, also at the end") {
    Pipe pipe;
    const auto before = log_lines_dropped();
    const auto filled = pipe.fill();
    constexpr std::uint64_t count = 2000;
    {
        const StandardOutputTo standard_output(pipe);
        open_log(at_level(config::LogLevel::info));
        for (std::uint64_t i = 0; i < count; ++i) {
            info("unread", {{"i", static_cast<std::int64_t>(i)}});
        }
        CHECK(log_lines_dropped() - before >= count - 600);
        const auto closing = std::chrono::steady_clock::now();
        close_log();
        CHECK(std::chrono::steady_clock::now() - closing < std::chrono::seconds{10});
    }
    CHECK(log_lines_dropped() - before == count);
    pipe.close_writer();
    CHECK(pipe.read_to_end().size() == filled);
}

TEST_CASE("a standard output whose reader is gone does not kill the process") {
    Pipe pipe;
    pipe.close_reader();
    const auto before = log_lines_dropped();
    {
        const StandardOutputTo standard_output(pipe);
        open_log(at_level(config::LogLevel::info));
        info("to nobody");
        close_log();
    }
    CHECK(log_lines_dropped() - before == 1);
}
