#include "net/socket_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace onceward::net {

SocketFile::SocketFile(const config::Address& address) {
    struct stat info {};
    if (address.is_unix() && ::lstat(address.unix_path.c_str(), &info) == 0) {
        path_ = address.unix_path;
        device_ = info.st_dev;
        number_ = info.st_ino;
    }
}

void SocketFile::remove() {
    const auto path = std::exchange(path_, {});
    struct stat info {};
    if (!path.empty() && ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_dev == device_ &&
        info.st_ino == number_) {
        ::unlink(path.c_str());
    }
}

}  // namespace onceward::net
