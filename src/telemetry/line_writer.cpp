#include "telemetry/line_writer.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <system_error>

namespace onceward::telemetry {
namespace {

constexpr std::size_t file_chunk_bytes = 64 * 1024;
constexpr auto no_deadline = Deadline::max().time_since_epoch().count();

/// Whole lines as far as they fit into `most`; a longer line is cut.
std::string_view chunk_of(std::string_view lines, std::size_t most) {
    if (lines.size() <= most) {
        return lines;
    }
    const auto last = lines.substr(0, most).rfind('\n');
    return lines.substr(0, last == std::string_view::npos ? most : last + 1);
}

int poll_timeout(Deadline::rep give_up_at) {
    if (give_up_at == no_deadline) {
        return -1;
    }
    const auto left = Deadline{Deadline::duration{give_up_at}} - std::chrono::steady_clock::now();
    return static_cast<int>(std::max<milliseconds::rep>(0, std::chrono::ceil<milliseconds>(left).count()));
}

}  // namespace

LineWriter::LineWriter(int descriptor)
    : descriptor_(descriptor),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      chunk_bytes_(file_chunk_bytes),
      give_up_at_(no_deadline) {
    if (wake_ < 0) {
        throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    struct stat status {};
    if (::fstat(descriptor, &status) == 0) {
        is_socket_ = S_ISSOCK(status.st_mode);
        if (S_ISFIFO(status.st_mode)) {
            // A pipe that polls as writable takes this much without blocking.
            chunk_bytes_ = PIPE_BUF;
        }
    }
}

LineWriter::~LineWriter() {
    ::close(wake_);
}

std::string_view LineWriter::write(std::string_view lines) {
    while (!lines.empty()) {
        if (!wait_writable()) {
            return lines;
        }
        const auto chunk = chunk_of(lines, chunk_bytes_);
        const auto n = is_socket_ ? ::send(descriptor_, chunk.data(), chunk.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                                  : ::write(descriptor_, chunk.data(), chunk.size());
        if (n >= 0) {
            lines.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno != EINTR && errno != EAGAIN) {
            return lines;
        }
    }
    return lines;
}

bool LineWriter::wait_writable() {
    for (;;) {
        const auto give_up_at = give_up_at_.load();
        const bool limited = give_up_at != no_deadline;
        const int timeout = poll_timeout(give_up_at);
        if (timeout == 0) {
            return false;  // also when the reader still takes a little now and then
        }
        pollfd waits[2] = {{descriptor_, POLLOUT, 0}, {wake_, POLLIN, 0}};
        const int ready = ::poll(waits, limited ? 1 : 2, timeout);
        if (ready < 0 && errno != EINTR) {
            return false;
        }
        if (ready > 0 && waits[0].revents != 0) {
            return true;  // an error or a hang-up is told by the write
        }
    }
}

void LineWriter::give_up_after(milliseconds patience) {
    give_up_at_.store((std::chrono::steady_clock::now() + patience).time_since_epoch().count());
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then it is readable.
    [[maybe_unused]] const auto n = ::write(wake_, &one, sizeof one);
}

void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace onceward::telemetry
