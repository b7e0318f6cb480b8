#pragma once

#include "onceward/admin/control.hpp"
#include "onceward/health/server.hpp"
#include "onceward/store/store.hpp"

#include <cstdint>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace onceward::admin {

/// What the admin listener shows and changes. All of the server's loop; they outlive the server.
struct AdminParts {
    health::HealthSource& health;
    Control& control;
    store::Store& store;
};

struct AdminLimits {
    std::size_t connections = 16;                 ///< one more ends the oldest that is not being answered
    std::size_t head_bytes = 32 * 1024;           ///< of a request
    std::size_t content_bytes = 8 * 1024 * 1024;  ///< of a request; recorded answers have a limit of their own too
};

/// The admin listener (spec section 8): the pages of the health listener, and `/config`, `/log-level`, `/reload` and `/records`.
///
/// Whoever it serves has shown a token of `admin.token_file`, where there is one; the file is read at each request. On a loopback
/// address a request must name a loopback host, and what a browser sends from another site is refused. Every change is one audit
/// line, written whatever the log level: who, what, before and after, never a key or a body.
/// Of one loop: `start` and `stop` are called on its thread, or while it does not run.
class AdminServer {
public:
    AdminServer(boost::asio::io_context& loop, const config::Admin& admin, const AdminParts& parts,
                const AdminLimits& limits = {});
    /// As `stop`. The loop has ended by then.
    ~AdminServer();
    AdminServer(const AdminServer&) = delete;
    AdminServer& operator=(const AdminServer&) = delete;

    /// Binds and begins to accept; the file of a unix socket is for this user alone. Throws `boost::system::system_error` that
    /// names the address when that can't be had.
    void start();
    /// Closes the listener and every connection.
    void stop();

    /// The TCP port that is listened on, also when 0 was asked for; 0 on a unix socket.
    [[nodiscard]] std::uint16_t port() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace onceward::admin
