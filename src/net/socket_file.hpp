#pragma once

#include "onceward/config/options.hpp"

#include <sys/types.h>

#include <string>

namespace onceward::net {

/// The file of a unix socket that this process listens on. Whoever stops to listen removes it, so that clients are told at once
/// that nobody is there, and no file stays behind.
class SocketFile {
public:
    /// Of no socket.
    SocketFile() = default;
    /// The file that stands at `address` now: call it once the socket is bound. On TCP there is none.
    explicit SocketFile(const config::Address& address);

    /// Only the very file that was there: a process that came after this one may listen at the same path by now. Call it while
    /// the socket is still open, for its file's number may be given to another one after that.
    void remove();

private:
    std::string path_;  ///< empty: none
    dev_t device_ = 0;
    ino_t number_ = 0;
};

}  // namespace onceward::net
