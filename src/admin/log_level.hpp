#pragma once

#include "net/deadline.hpp"
#include "onceward/config/options.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace onceward::admin {

/// `trace`, `debug`, `info`, `warn`, `error`.
std::optional<config::LogLevel> parse_level(std::string_view text);

/// The log's level, changed for good or for a while. What it is for a while ends when somebody else changes the level: a
/// reload's word counts.
class LogLevelSwitch final : private net::Timed {
public:
    explicit LogLevelSwitch(net::Deadlines& deadlines) : deadlines_(deadlines) {}

    /// Until the next change, reload or restart.
    void set(config::LogLevel level);
    /// Then the level is again what it was before the first of such changes.
    void set_for(config::LogLevel level, milliseconds duration);

    struct Return {
        config::LogLevel level;
        milliseconds in;
    };
    /// What it will be again, and when; nothing while it stays.
    [[nodiscard]] std::optional<Return> returns() const;

private:
    void on_deadline() override;
    [[nodiscard]] bool is_for_a_while() const;

    struct Passing {
        config::LogLevel level;
        config::LogLevel before;
    };
    net::Deadlines& deadlines_;
    std::optional<Passing> passing_;
};

}  // namespace onceward::admin
