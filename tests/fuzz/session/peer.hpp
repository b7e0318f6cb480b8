#pragma once

#include "strict_http.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace onceward::fuzz {

/// A file descriptor that is closed with it.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() { close(); }
    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void close();

private:
    int fd_ = -1;
};

/// The far end of a unix socket that does not block.
class Peer {
public:
    explicit Peer(Descriptor socket) : socket_(std::move(socket)) {}

    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    /// What the socket took of it.
    std::size_t send(std::string_view bytes);
    void end_sending();
    /// Appends what has come; while reading is paused it stays in the socket all the same, and fills it. False: nothing has.
    bool read(std::string& into);
    void pause_or_read_on() { reading_ = !reading_; }
    void read_on() { reading_ = true; }
    [[nodiscard]] bool is_reading() const { return reading_; }
    /// The other side ended, and all that it sent was read.
    [[nodiscard]] bool other_ended() const { return other_ended_; }
    /// Closes, which is a reset for the other side when reading is paused and something has come.
    test::StreamEnd close(std::string& into);

private:
    bool peek(std::string& into);

    Descriptor socket_;
    std::size_t peeked_ = 0;  ///< bytes in the socket that were appended already
    bool reading_ = true;
    bool ended_ = false;
    bool other_ended_ = false;
};

}  // namespace onceward::fuzz
