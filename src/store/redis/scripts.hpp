#pragma once

#include <string_view>

namespace onceward::store::redis {

/// A Lua script of this folder, embedded at build time; `sha1` names it in EVALSHA.
struct Script {
    std::string_view source;
    std::string_view sha1;
};

extern const Script claim_script;    ///< record.lua + claim.lua
extern const Script command_script;  ///< record.lua + command.lua
extern const Script worker_script;   ///< worker.lua
extern const Script ready_script;    ///< ready.lua

}  // namespace onceward::store::redis
