#pragma once

#include "onceward/base/task.hpp"
#include "onceward/base/time.hpp"
#include "onceward/guard/command.hpp"
#include "onceward/telemetry/metrics.hpp"

#include <boost/system/error_code.hpp>

#include <string_view>

/// @file
/// What every call to the store has in common on the request path: it is timed, its failures are counted and logged, and what may
/// be half done is finished in the background.

namespace onceward::proxy {

struct Loop;

telemetry::StoreOperation operation_of(const guard::Action& action);

/// How a store call ended, for `observe_store`.
enum class CallResult : bool { answered, failed };

/// Adds a call to the metrics; gives its duration.
std::chrono::microseconds observe_store(Loop& loop, telemetry::StoreOperation operation, Deadline begun, CallResult result);

/// Logs a failure of the store. In an outage every request fails: at most one line a second and loop is written.
void warn_store(Loop& loop, std::string_view event, const guard::Command& command, const boost::system::error_code& why);

/// Keeps `onceward_unknown_open`.
void note_unknown(Loop& loop, guard::UnknownChange change);

/// The store had lost a record that this process held (spec section 3).
void note_data_loss(Loop& loop, const guard::Command& command);

/// Waits on the loop's own clock.
Task<> pause_for(Loop& loop, milliseconds duration);

/// Sends a command again and again in the background until the store has answered it, from `first_at` on. For claims that may
/// have been written although their outcome is not known, and for requests that went out without one.
void finish_in_background(Loop& loop, guard::Command command, Deadline first_at);

}  // namespace onceward::proxy
