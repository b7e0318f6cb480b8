#pragma once

#include "onceward/base/task.hpp"

namespace onceward::proxy {

class Execution;
class Session;

/// Step 9 for the client: sends what the execution shows, as it shows it; the end of an answer only after the store has confirmed
/// it (spec section 2.7). Returns when the client has its answer or is gone; the execution goes on by itself.
Task<> deliver(Session& session, Execution& execution);

}  // namespace onceward::proxy
