#pragma once

#include "onceward/base/time.hpp"
#include "onceward/config/options.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace onceward::health {

/// How much `/readyz` says: one line, or every check (`?verbose`).
enum class Detail : std::uint8_t { brief, every_check };

/// What the health listener shows. Asked on the listener's loop, and quickly: nothing here may wait.
class HealthSource {
public:
    virtual ~HealthSource() = default;
    /// New requests may be sent here.
    virtual bool ready() = 0;
    /// `ok`, or why not, in words; with `every_check` one line a check.
    virtual std::string readiness_text(Detail detail) = 0;
    /// The Prometheus text format, version 0.0.4.
    virtual std::string metrics() = 0;
};

struct HealthLimits {
    std::size_t connections = 64;         ///< one more ends the oldest: probes get through, whoever holds connections
    std::size_t head_bytes = 8 * 1024;    ///< of a request
    milliseconds header_timeout{10'000};  ///< from the first byte of a request to the end of its head, and to write an answer
    milliseconds idle_timeout{75'000};    ///< without a request
};

/// The health listener (spec section 8): `GET` and `HEAD` of `/livez`, `/readyz` and `/metrics`, in plain text, for whoever can
/// reach it.
/// `/livez` answers as long as its loop turns. Of one loop: `start` and `stop` are called on its thread, or while it
/// does not run.
class HealthServer {
public:
    /// `source` and `loop` must outlive the server.
    HealthServer(boost::asio::io_context& loop, config::Address address, HealthSource& source, const HealthLimits& limits = {});
    /// As `stop`. The loop has ended by then.
    ~HealthServer();
    HealthServer(const HealthServer&) = delete;
    HealthServer& operator=(const HealthServer&) = delete;

    /// Binds and begins to accept. Throws `boost::system::system_error` that names the address when that can't be had.
    void start();
    /// Closes the listener and every connection; the loop then has no work left from here.
    void stop();

    /// The TCP port that is listened on, also when 0 was asked for; 0 on a unix socket.
    [[nodiscard]] std::uint16_t port() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace onceward::health
