#include "admin/log_level.hpp"

#include "catch.hpp"
#include "onceward/telemetry/log.hpp"

using namespace onceward;
using namespace onceward::admin;
using namespace std::chrono_literals;
using config::LogLevel;

namespace {

/// A loop that a switch's time passes on; the level is what it was again afterwards.
struct Scene {
    Scene() { telemetry::set_level(LogLevel::warn); }
    ~Scene() { telemetry::set_level(before); }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    bool becomes(LogLevel wanted) {
        const auto until = std::chrono::steady_clock::now() + 10s;
        while (telemetry::level() != wanted && std::chrono::steady_clock::now() < until) {
            loop.run_one_for(20ms);
        }
        return telemetry::level() == wanted;
    }

    const LogLevel before = telemetry::level();
    boost::asio::io_context loop;
    net::Deadlines deadlines{loop};
    LogLevelSwitch level{deadlines};
};

}  // namespace

TEST_CASE("levels are words") {
    CHECK(parse_level("trace") == LogLevel::trace);
    CHECK(parse_level("error") == LogLevel::error);
    CHECK_FALSE(parse_level("ERROR"));
    CHECK_FALSE(parse_level("fatal"));
    CHECK_FALSE(parse_level(""));
}

TEST_CASE("a level for a while returns by itself to what it was before the first change") {
    Scene scene;
    CHECK_FALSE(scene.level.returns());
    scene.level.set_for(LogLevel::debug, 1h);
    scene.level.set_for(LogLevel::trace, 60ms);
    CHECK(telemetry::level() == LogLevel::trace);
    const auto returns = scene.level.returns();
    REQUIRE(returns);
    CHECK(returns->level == LogLevel::warn);
    CHECK(returns->in <= 100ms);
    CHECK(scene.becomes(LogLevel::warn));
    CHECK_FALSE(scene.level.returns());
}

TEST_CASE("a level that is set for good does not return") {
    Scene scene;
    scene.level.set_for(LogLevel::debug, 40ms);
    scene.level.set(LogLevel::error);
    CHECK_FALSE(scene.level.returns());
    scene.loop.run_for(200ms);
    CHECK(telemetry::level() == LogLevel::error);
}

TEST_CASE("what somebody else sets meanwhile stays") {
    Scene scene;
    scene.level.set_for(LogLevel::debug, 40ms);
    telemetry::set_level(LogLevel::info);
    CHECK_FALSE(scene.level.returns());
    scene.loop.run_for(200ms);
    CHECK(telemetry::level() == LogLevel::info);
}
