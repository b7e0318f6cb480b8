#include "store/redis/error_reply.hpp"

#include <array>

namespace onceward::store::redis {

namespace {

struct Row {
    std::string_view code;
    ErrorReply meaning;
};

using enum StoreErrc;
using enum ErrorAction;

constexpr std::array rows{
    Row{"NOSCRIPT", {unavailable, send_source}},
    // A replica, or one that has lost its master: after a failover the address leads elsewhere.
    Row{"READONLY", {unavailable, reconnect}},
    Row{"MASTERDOWN", {unavailable, reconnect}},
    // The user was changed under the connection.
    Row{"NOAUTH", {unavailable, reconnect}},
    Row{"WRONGPASS", {unavailable, reconnect}},
    Row{"LOADING", {unavailable, report}},
    Row{"BUSY", {unavailable, report}},
    Row{"MISCONF", {unavailable, report}},
    Row{"NOREPLICAS", {unavailable, report}},
    // A node of a cluster, spoken to as if it stood alone.
    Row{"CLUSTERDOWN", {unavailable, report}},
    Row{"MOVED", {unavailable, report}},
    Row{"ASK", {unavailable, report}},
    Row{"TRYAGAIN", {unavailable, report}},
    Row{"CROSSSLOT", {rejected, report}},
    Row{"NOPERM", {rejected, report}},
    Row{"OOM", {rejected, report}},
    Row{"WRONGTYPE", {corrupt, report}},
    Row{"CORRUPT", {corrupt, report}},
};

}  // namespace

ErrorReply classify(std::string_view text) {
    const auto code = text.substr(0, text.find(' '));
    for (const auto& row : rows) {
        if (row.code == code) {
            return row.meaning;
        }
    }
    // What the access list refuses inside a script has no code of its own: so in Redis 7.0, and in later ones.
    for (const std::string_view refusal :
         {"ERR unknown command", "ERR The user executing the script can't run this command", "ERR ACL failure in script"}) {
        if (text.starts_with(refusal)) {
            return {rejected, report};
        }
    }
    return {unavailable, report};
}

}  // namespace onceward::store::redis
