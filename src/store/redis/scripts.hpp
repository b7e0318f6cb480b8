#pragma once

#include <string_view>

namespace onceward::store::redis {

/// A Lua script, put together from the .lua files of this folder at build time; `sha1` names it in EVALSHA.
struct Script {
    std::string_view source;
    std::string_view sha1;
};

extern const Script claim_script;    ///< record, claim, changes, takeover
extern const Script command_script;  ///< record, complete, changes, command
extern const Script worker_script;   ///< worker
extern const Script ready_script;    ///< ready

}  // namespace onceward::store::redis
