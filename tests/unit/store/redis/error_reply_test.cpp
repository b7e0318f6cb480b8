#include "store/redis/error_reply.hpp"

#include "catch.hpp"

#include <string>

namespace onceward::store::redis {

namespace {

struct Row {
    std::string_view text;
    StoreErrc errc;
    ErrorAction action;
};

using enum StoreErrc;
using enum ErrorAction;

constexpr Row rows[] = {
    {"READONLY You can't write against a read only replica.", unavailable, reconnect},
    {"READONLY You can't write against a read only replica. script: 5c, on @user_script:12.", unavailable, reconnect},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", unavailable, reconnect},
    {"NOAUTH Authentication required.", unavailable, reconnect},
    {"WRONGPASS invalid username-password pair or user is disabled.", unavailable, reconnect},
    {"LOADING Redis is loading the dataset in memory", unavailable, report},
    {"CLUSTERDOWN The cluster is down", unavailable, report},
    {"MOVED 3999 127.0.0.1:6381", unavailable, report},
    {"ASK 3999 127.0.0.1:6381", unavailable, report},
    {"TRYAGAIN Multiple keys request during rehashing of slot", unavailable, report},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", unavailable, report},
    {"MISCONF Redis is configured to save RDB snapshots", unavailable, report},
    {"NOREPLICAS Not enough good replicas to write.", unavailable, report},
    {"NOPERM this user has no permissions to run the 'eval' command", rejected, report},
    {"ERR ACL failure in script: User onceward has no permissions to run the 'hset' command script: 3f, on @user_script:1.",
     rejected, report},
    {"ERR The user executing the script can't run this command or subcommand script: 5c, on @user_script:139.", rejected, report},
    {"OOM command not allowed when used memory > 'maxmemory'. script: 5c, on @user_script:12.", rejected, report},
    {"ERR unknown command 'EVALSHA', with args beginning with: ", rejected, report},
    {"WRONGTYPE Operation against a key holding the wrong kind of value script: 5c, on @user_script:12.", corrupt, report},
    {"CORRUPT the record can not be read", corrupt, report},
    {"NOSCRIPT No matching script. Please use EVAL.", unavailable, send_source},
    {"ERR max number of clients reached", unavailable, report},
    {"SOMETHING from a server to come", unavailable, report},
    {"", unavailable, report},
};

}  // namespace

TEST_CASE("each error reply is a store failure of its kind, never absent") {
    for (const auto& row : rows) {
        INFO(std::string(row.text));
        const auto error = classify(row.text);
        CHECK(static_cast<int>(error.errc) == static_cast<int>(row.errc));
        CHECK(static_cast<int>(error.action) == static_cast<int>(row.action));
        CHECK_FALSE(may_have_been_written(error.errc));
    }
}

TEST_CASE("a code is a whole word") {
    CHECK(static_cast<int>(classify("OOMPH is not OOM").errc) == static_cast<int>(unavailable));
    CHECK(static_cast<int>(classify("OOM").errc) == static_cast<int>(rejected));
}

}  // namespace onceward::store::redis
