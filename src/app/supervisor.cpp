#include "app/supervisor.hpp"

#include "onceward/telemetry/log.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace onceward::app {

namespace {

/// The longest wait for a service manager that does not read.
constexpr std::int64_t send_limit_micros = 100'000;
/// What `systemctl status` still shows in a line.
constexpr std::size_t text_limit = 500;

std::string error_text() {
    return std::generic_category().message(errno);
}

/// A line break would begin another assignment.
std::string one_line(std::string_view text) {
    std::string line(text.substr(0, text_limit));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return line;
}

std::int64_t monotonic_micros() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int open_socket() {
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        timeval limit{};
        limit.tv_usec = send_limit_micros;
        ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    return fd;
}

}  // namespace

Supervisor::Supervisor(std::string_view address) {
    if (address.empty()) {
        return;
    }
    const bool known = (address.front() == '/' || address.front() == '@') && address.size() > 1;
    if (!known || address.size() >= sizeof(sockaddr_un::sun_path)) {
        telemetry::warn("the service manager is not told anything: its address is of no known kind",
                        {{"NOTIFY_SOCKET", address}});
        return;
    }
    socket_ = open_socket();
    if (socket_ < 0) {
        const auto error = error_text();
        telemetry::warn("the service manager is not told anything", {{"error", std::string_view(error)}});
        return;
    }
    address_ = address;
    if (address_.front() == '@') {
        address_.front() = '\0';
    }
}

Supervisor Supervisor::from_environment() {
    const char* address = std::getenv("NOTIFY_SOCKET");
    return Supervisor(address == nullptr ? std::string_view() : std::string_view(address));
}

Supervisor::~Supervisor() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

void Supervisor::serving(std::string_view text) {
    const bool changed = text != text_;
    text_ = text;
    if (state_ == State::starting) {
        state_ = State::serving;
        send("READY=1\n" + status_line());
    } else if (state_ == State::serving && changed) {
        send(status_line());
    }
}

void Supervisor::reloading() {
    if (state_ != State::serving) {
        return;
    }
    state_ = State::reloading;
    // systemd compares the time with that of its own signal, so that it does not take an earlier reload for the one it asked for.
    send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_micros()) + "\nSTATUS=reading the configuration again");
}

void Supervisor::reloaded(std::string_view remark) {
    remark_ = remark;
    if (state_ == State::reloading) {
        state_ = State::serving;
        send("READY=1\n" + status_line());
    }
}

void Supervisor::stopping(std::string_view text, milliseconds at_most) {
    state_ = State::stopping;
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(at_most).count();
    send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string(micros) + "\nSTATUS=" + one_line(text));
}

void Supervisor::still_stopping(std::string_view text) {
    if (state_ == State::stopping) {
        send("STATUS=" + one_line(text));
    }
}

std::string Supervisor::status_line() const {
    return "STATUS=" + one_line(remark_.empty() ? text_ : text_ + "; " + remark_);
}

void Supervisor::send(const std::string& message) {
    if (socket_ < 0) {
        return;
    }
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, address_.data(), address_.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    ssize_t sent = 0;
    do {
        sent = ::sendto(socket_, message.data(), message.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), size);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        const auto error = error_text();
        telemetry::warn(
            "the service manager could not be told",
            {{"message", std::string_view(message).substr(0, message.find('\n'))}, {"error", std::string_view(error)}});
    }
}

}  // namespace onceward::app
