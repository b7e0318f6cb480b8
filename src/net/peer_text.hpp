#pragma once

#include "net/socket.hpp"

#include <string>

namespace onceward::net {

/// Who is at the other end, for a log line: `127.0.0.1:40222`, `[::1]:40222`, or on a unix socket `uid=1000 pid=77` as the kernel
/// tells it.
std::string peer_text(Socket& socket);

}  // namespace onceward::net
