#include "onceward/base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace onceward::base {

namespace {

constexpr std::size_t step_bytes = 64 * 1024;

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

/// Asked first too: who opens a pipe wakes its writer, who is cut off when it is closed again.
Descriptor open_regular(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return Descriptor(-1);
    }
    // Another file may stand there by now.
    return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

}  // namespace

std::variant<std::string, FileFailure> read_regular_file(const std::string& path, std::size_t bytes_max) {
    const auto file = open_regular(path);
    struct stat info {};
    if (file.number() < 0 || ::fstat(file.number(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return FileFailure::unreadable;
    }
    std::string content;
    while (content.size() <= bytes_max) {
        const auto have = content.size();
        content.resize(have + std::min(step_bytes, bytes_max - have + 1));
        const auto got = ::read(file.number(), content.data() + have, content.size() - have);
        content.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && errno != EINTR) {
            return FileFailure::unreadable;
        }
        if (got == 0) {
            return content;
        }
    }
    return FileFailure::too_large;
}

}  // namespace onceward::base
