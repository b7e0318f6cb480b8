#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/config/options.hpp"
#include "onceward/guard/operator_command.hpp"

#include <string>
#include <string_view>

/// @file
/// What was changed through the admin listener, by whom: one line a change in the log, whatever its level. Never a key or a body.

namespace onceward::admin {

/// Who asks.
struct Actor {
    std::string peer;
    std::string token;  ///< name of the token that was shown; empty where none is asked for
};

/// A command on a record, also one that was refused.
void audit_record(const Actor& actor, const guard::OperatorCommand& command, const guard::OperatorReply& reply);
/// A command whose outcome the store did not tell.
void audit_record_failure(const Actor& actor, const guard::OperatorCommand& command, std::string_view error);
void audit_level(const Actor& actor, config::LogLevel before, config::LogLevel after, milliseconds duration);
void audit_level_return(config::LogLevel before, config::LogLevel after);
void audit_reload(const Actor& actor, std::string_view result, std::string_view changed, std::string_view needs_restart);

/// `UNKNOWN attempt=1 fence=17 evidence=lease`, with ` may` and ` status=201` where they are: for a log line.
std::string short_text(const guard::Record& record);

}  // namespace onceward::admin
