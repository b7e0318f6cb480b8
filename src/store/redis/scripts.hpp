#pragma once

#include <string_view>

namespace onceward::store::redis {

/// A Lua script, put together from the .lua files of this folder at build time; `sha1` names it in EVALSHA.
struct Script {
    std::string_view source;
    std::string_view sha1;
};

extern const Script claim_script;    ///< a request asks to execute
extern const Script command_script;  ///< an owner's transitions
extern const Script append_script;   ///< a piece of an answer
extern const Script operate_script;  ///< an operator's
extern const Script find_script;     ///< one record
extern const Script list_script;     ///< a step through all records
extern const Script worker_script;   ///< a worker id
extern const Script ready_script;    ///< whether the server takes writes

}  // namespace onceward::store::redis
