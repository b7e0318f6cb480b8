#pragma once

#include "onceward/store/store.hpp"

#include <cstdint>
#include <string_view>

namespace onceward::store::redis {

/// What to do about an error reply beside reporting it.
enum class ErrorAction : std::uint8_t {
    report,
    reconnect,   ///< this server will not do: a new connection may find another, or log in anew
    send_source  ///< the server does not know the script: nothing was run, and the command can be sent with its text
};

struct ErrorReply {
    StoreErrc errc = StoreErrc::unavailable;
    ErrorAction action = ErrorAction::report;
};

/// Reads the text of an error reply. Whatever it is, it means "the store can't say", never "absent", and none leaves a command
/// half done.
ErrorReply classify(std::string_view text);

}  // namespace onceward::store::redis
