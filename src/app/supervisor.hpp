#pragma once

#include "onceward/base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace onceward::app {

/// Tells the service manager that started this process (systemd, `Type=notify`) what it is doing: datagrams to a unix socket.
/// Where nobody listens every call does nothing. A datagram that does not get through is logged, and nothing else comes of it.
///
/// Of one thread. No call takes longer than a tenth of a second, and none waits while the other side reads.
class Supervisor {
public:
    /// `address` as systemd gives it: an absolute path, or `@name` for an abstract socket. Empty: nobody listens.
    explicit Supervisor(std::string_view address);
    /// As the variable NOTIFY_SOCKET says.
    static Supervisor from_environment();
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    /// The first call says that the process is ready; later ones only change what `systemctl status` shows. To be called as often
    /// as one likes. Not heard during a reload or once it stops, but for its text, which is shown after the reload.
    void serving(std::string_view text);
    /// A reload begins. Not said before the process is ready.
    void reloading();
    /// It has ended. `remark` is shown beside the text of `serving` until the next reload; empty where there is nothing to say.
    void reloaded(std::string_view remark);
    /// The process stops, and that may take up to `at_most` from now, whatever the unit's TimeoutStopSec is.
    void stopping(std::string_view text, milliseconds at_most);
    /// Another text for `systemctl status` while it stops.
    void still_stopping(std::string_view text);

private:
    enum class State : std::uint8_t { starting, serving, reloading, stopping };

    [[nodiscard]] std::string status_line() const;
    void send(const std::string& message);

    std::string address_;  ///< as the socket wants it; empty: nobody listens
    int socket_ = -1;
    State state_ = State::starting;
    std::string text_;
    std::string remark_;
};

}  // namespace onceward::app
