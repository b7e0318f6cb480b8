#pragma once

#include "net/socket.hpp"

namespace onceward::net {

/// Has the system find out about a peer that vanished without a word, within two minutes of silence: the next read fails. Only
/// TCP needs it: a unix socket is left as it is.
void keep_alive(Socket& socket);

}  // namespace onceward::net
