#pragma once

#include "net/stream.hpp"

namespace onceward::proxy {

struct Loop;

/// Carries bytes both ways between two connections that have left HTTP, from what is buffered on, until both sides are done. An
/// end is passed on; the other side then has `body_timeout` to finish. No time limit ends a quiet tunnel (spec section 7), but
/// the end of a peer that no longer answers TCP does, within some two minutes.
Task<> tunnel(Loop& loop, net::Stream& client, net::Stream& upstream);

}  // namespace onceward::proxy
