#include "app/supervisor.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

using onceward::app::Supervisor;
using namespace std::chrono_literals;

namespace {

/// What systemd holds at the other end: a datagram socket at `address`, which begins with `@` for an abstract one.
class Listener {
public:
    explicit Listener(std::string address)
        : address_(std::move(address)), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::memcpy(name.sun_path, address_.data(), address_.size());
        if (address_.front() == '@') {
            name.sun_path[0] = '\0';
        }
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
        REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&name), size) == 0);
    }
    ~Listener() { ::close(socket_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }

    /// A datagram that has come; none: nullopt. Between processes of one machine it is there once `send` has returned.
    std::optional<std::string> next() {
        char buffer[4096];
        const auto size = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
        return size < 0 ? std::nullopt : std::optional(std::string(buffer, static_cast<std::size_t>(size)));
    }

    std::string required() {
        auto datagram = next();
        REQUIRE(datagram);
        return *datagram;
    }

private:
    std::string address_;
    int socket_;
};

std::string abstract_name() {
    return "@onceward-supervisor-test-" + std::to_string(::getpid());
}

}  // namespace

TEST_CASE("a supervisor is told once that the process serves, over a path or an abstract socket") {
    const onceward::test::TemporaryFolder directory;
    for (const auto& address : {directory.file("notify"), abstract_name()}) {
        Listener listener(address);
        Supervisor supervisor(address);
        supervisor.serving("serving");
        CHECK(listener.required() == "READY=1\nSTATUS=serving");
        supervisor.serving("serving");
        CHECK_FALSE(listener.next());
        supervisor.serving("serving, but slowly");
        CHECK(listener.required() == "STATUS=serving, but slowly");
    }
}

TEST_CASE("a supervisor is told of a reload with the time at which it began, and what came of it") {
    Listener listener(abstract_name());
    Supervisor supervisor(listener.address());
    supervisor.serving("serving");
    listener.required();

    const auto before =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch());
    supervisor.reloading();
    const auto after = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch());
    const auto begun = listener.required();
    const std::string head = "RELOADING=1\nMONOTONIC_USEC=";
    REQUIRE(begun.substr(0, head.size()) == head);
    const auto at = std::stoll(begun.substr(head.size()));
    CHECK(at >= before.count());
    CHECK(at <= after.count());

    supervisor.serving("serving, but the store does not answer");
    CHECK_FALSE(listener.next());
    supervisor.reloaded("the last reload was refused");
    CHECK(listener.required() == "READY=1\nSTATUS=serving, but the store does not answer; the last reload was refused");
    supervisor.serving("serving");
    CHECK(listener.required() == "STATUS=serving; the last reload was refused");
    supervisor.reloading();
    listener.required();
    supervisor.reloaded("");
    CHECK(listener.required() == "READY=1\nSTATUS=serving");
}

TEST_CASE("a supervisor hears of no reload before the process is ready") {
    Listener listener(abstract_name());
    Supervisor supervisor(listener.address());
    supervisor.reloading();
    supervisor.reloaded("refused");
    CHECK_FALSE(listener.next());
    supervisor.serving("serving");
    CHECK(listener.required() == "READY=1\nSTATUS=serving; refused");
}

TEST_CASE("a supervisor is told how long a stop may take, and nothing else after it") {
    Listener listener(abstract_name());
    Supervisor supervisor(listener.address());
    supervisor.serving("serving");
    listener.required();
    supervisor.still_stopping("not yet");
    CHECK_FALSE(listener.next());
    supervisor.stopping("draining", 1500ms);
    CHECK(listener.required() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=1500000\nSTATUS=draining");
    supervisor.serving("serving");
    supervisor.reloading();
    supervisor.reloaded("");
    CHECK_FALSE(listener.next());
    supervisor.still_stopping("draining: 2 executions");
    CHECK(listener.required() == "STATUS=draining: 2 executions");
}

TEST_CASE("a text with line breaks can't give a supervisor another assignment") {
    Listener listener(abstract_name());
    Supervisor supervisor(listener.address());
    supervisor.serving("bad\nMAINPID=1\r\tend");
    CHECK(listener.required() == "READY=1\nSTATUS=bad MAINPID=1  end");
}

TEST_CASE("where no supervisor listens nothing happens") {
    const onceward::test::TemporaryFolder directory;
    for (const auto& address : {std::string(), std::string("@"), std::string("relative"), std::string("vsock:2:1234"),
                                directory.file("absent"), "/" + std::string(200, 'x')}) {
        Supervisor supervisor(address);
        CHECK_NOTHROW(supervisor.serving("serving"));
        CHECK_NOTHROW(supervisor.stopping("draining", 1s));
    }
}

TEST_CASE("a supervisor that does not read holds nobody up for long") {
    Listener listener(abstract_name());
    Supervisor supervisor(listener.address());
    supervisor.serving("serving");
    const auto begun = std::chrono::steady_clock::now();
    std::optional<std::chrono::steady_clock::duration> longest;
    for (int i = 0; i < 100'000 && longest.value_or(0s) < 50ms; ++i) {
        const auto one = std::chrono::steady_clock::now();
        supervisor.serving("text " + std::to_string(i));
        longest = std::max(longest.value_or(0s), std::chrono::steady_clock::now() - one);
    }
    REQUIRE(longest);
    CHECK(*longest >= 50ms);  // the queue of the socket was full at last
    CHECK(std::chrono::steady_clock::now() - begun < 20s);
}
