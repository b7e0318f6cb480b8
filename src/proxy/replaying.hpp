#pragma once

#include "onceward/base/task.hpp"
#include "onceward/guard/record.hpp"

namespace onceward::proxy {

class Session;

/// Sends the answer of `record` again, which is the one that the session's claim met. Content in pieces is read as the client
/// takes it.
Task<> replay(Session& session, const guard::Record& record);

}  // namespace onceward::proxy
