#include "onceward/base/spool_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace onceward::base {

namespace {

/// /tmp is in memory on many systems, so that it comes last.
constexpr const char* directories[] = {"/var/tmp", "/tmp"};

int open_in(const std::string& directory) {
    const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
        return descriptor;
    }
    // A file system without nameless files.
    auto name = directory + "/onceward-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

}  // namespace

std::optional<SpoolFile> SpoolFile::open() {
    // Nothing changes the environment of this process. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char* configured = ::getenv("TMPDIR");
    if (configured != nullptr && *configured != '\0') {
        const int descriptor = open_in(configured);
        return descriptor < 0 ? std::nullopt : std::optional(SpoolFile(descriptor));
    }
    for (const auto* directory : directories) {
        const int descriptor = open_in(directory);
        if (descriptor >= 0) {
            return SpoolFile(descriptor);
        }
    }
    return std::nullopt;
}

SpoolFile::~SpoolFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

bool SpoolFile::append(std::string_view bytes) {
    auto at = size_;
    while (!bytes.empty()) {
        const auto written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        at += static_cast<std::uint64_t>(written);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    size_ = at;
    return true;
}

bool SpoolFile::read(std::uint64_t at, char* into, std::size_t size) const {
    std::size_t have = 0;
    while (have < size) {
        const auto got = ::pread(descriptor_, into + have, size - have, static_cast<off_t>(at + have));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? EIO : errno;
            return false;
        }
        have += static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace onceward::base
