#include "onceward/telemetry/log.hpp"

#include "catch.hpp"
#include "loops.hpp"
#include "pipe.hpp"

#include <atomic>

using namespace onceward;

TEST_CASE("the level is changed and lost lines are counted while every thread logs") {
    telemetry::test::Pipe pipe;
    std::string written;
    std::thread reader([&] { written = pipe.read_to_end(); });
    const auto dropped_before = telemetry::log_lines_dropped();
    std::uint64_t dropped = 0;
    {
        const telemetry::test::StandardOutputTo standard_output(pipe);
        telemetry::open_log({config::LogLevel::info, config::LogFormat::json, true});
        test::on_threads(3, [](std::size_t thread) {
            for (std::int64_t i = 0; i < 500; ++i) {
                if (thread == 0) {
                    telemetry::set_level(i % 2 == 0 ? config::LogLevel::error : config::LogLevel::info);
                    telemetry::error("always");
                } else {
                    telemetry::debug("never", {{"i", i}});
                    telemetry::info("now and then", {{"i", i}, {"level", telemetry::to_text(telemetry::level())}});
                }
            }
        });
        telemetry::close_log();
        dropped = telemetry::log_lines_dropped() - dropped_before;
    }
    pipe.close_writer();
    reader.join();
    std::uint64_t always = 0;
    for (const auto& line : telemetry::test::split_lines(written)) {
        REQUIRE(line.front() == '{');
        REQUIRE(line.back() == '}');
        CHECK(line.find("never") == std::string::npos);
        always += line.find("always") == std::string::npos ? 0U : 1U;
    }
    CHECK(always <= 500);
    CHECK(always + dropped >= 500);
}

TEST_CASE("two threads close the log at once while others write and count: each line is written or counted") {
    constexpr int rounds = 20;
    constexpr std::uint64_t lines_each = 100;
    for (int round = 0; round < rounds; ++round) {
        telemetry::test::Pipe pipe;
        std::string written;
        std::thread reader([&] { written = pipe.read_to_end(); });
        const auto dropped_before = telemetry::log_lines_dropped();
        std::atomic<bool> fell{false};
        {
            const telemetry::test::StandardOutputTo standard_output(pipe);
            telemetry::open_log({config::LogLevel::info, config::LogFormat::json, true});
            test::on_threads(4, [&](std::size_t thread) {
                if (thread < 2) {
                    telemetry::error("closing");
                    telemetry::close_log();
                    return;
                }
                auto dropped = dropped_before;
                for (std::uint64_t i = 0; i < lines_each; ++i) {
                    telemetry::info("line");
                    const auto now = telemetry::log_lines_dropped();
                    fell = fell || now < dropped;
                    dropped = now;
                }
            });
        }
        pipe.close_writer();
        reader.join();
        CHECK_FALSE(fell);
        const auto lines = telemetry::test::split_lines(written);
        std::string foreign;
        for (const auto& line : lines) {
            foreign += line.starts_with('{') ? "" : line + "\n";
        }
        CHECK(foreign == "");
        CHECK(lines.size() + telemetry::log_lines_dropped() - dropped_before == 2 + 2 * lines_each);
    }
}
