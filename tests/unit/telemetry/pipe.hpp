#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace onceward::telemetry::test {

/// A pipe whose reading end the test empties when it wants to.
class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("pipe2");
        }
    }
    ~Pipe() {
        close_reader();
        close_writer();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int writer() const { return ends_[1]; }
    void close_reader() { close(ends_[0]); }
    void close_writer() { close(ends_[1]); }

    /// Fills the pipe so that it takes no further byte; returns how many it took.
    std::size_t fill() {
        ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
        const std::string page(4096, ' ');
        std::size_t total = 0;
        for (auto n = ::write(ends_[1], page.data(), page.size()); n > 0; n = ::write(ends_[1], page.data(), page.size())) {
            total += static_cast<std::size_t>(n);
        }
        ::fcntl(ends_[1], F_SETFL, 0);
        return total;
    }
    /// Reads exactly `size` bytes, or throws after ten seconds without one.
    std::string read(std::size_t size) {
        std::string out;
        while (out.size() < size) {
            out += read_some(size - out.size());
        }
        return out;
    }
    /// Reads lines, without their newlines.
    std::vector<std::string> read_lines(std::size_t count) {
        std::vector<std::string> lines;
        while (lines.size() < count) {
            const auto end = buffer_.find('\n');
            if (end == std::string::npos) {
                buffer_ += read_some(65536);
                continue;
            }
            lines.push_back(buffer_.substr(0, end));
            buffer_.erase(0, end + 1);
        }
        return lines;
    }
    /// Everything that comes until the writing end is closed everywhere.
    std::string read_to_end() {
        std::string out = std::exchange(buffer_, {});
        std::array<char, 65536> chunk{};
        for (auto n = ::read(ends_[0], chunk.data(), chunk.size()); n > 0; n = ::read(ends_[0], chunk.data(), chunk.size())) {
            out.append(chunk.data(), static_cast<std::size_t>(n));
        }
        return out;
    }

private:
    static void close(int& end) {
        if (end >= 0) {
            ::close(std::exchange(end, -1));
        }
    }
    std::string read_some(std::size_t at_most) {
        pollfd ready{ends_[0], POLLIN, 0};
        if (::poll(&ready, 1, 10'000) <= 0) {
            throw std::runtime_error("nothing came out of the pipe");
        }
        std::string chunk(at_most, '\0');
        const auto n = ::read(ends_[0], chunk.data(), chunk.size());
        if (n <= 0) {
            throw std::runtime_error("the pipe was closed");
        }
        chunk.resize(static_cast<std::size_t>(n));
        return chunk;
    }

    std::array<int, 2> ends_{-1, -1};
    std::string buffer_;
};

/// Standard output goes into `pipe` while this lives.
class StandardOutputTo {
public:
    explicit StandardOutputTo(const Pipe& pipe) : before_(::dup(STDOUT_FILENO)) { ::dup2(pipe.writer(), STDOUT_FILENO); }
    ~StandardOutputTo() {
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
    }
    StandardOutputTo(const StandardOutputTo&) = delete;
    StandardOutputTo& operator=(const StandardOutputTo&) = delete;

private:
    int before_;
};

inline std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

}  // namespace onceward::telemetry::test
