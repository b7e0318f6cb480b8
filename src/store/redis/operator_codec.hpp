#pragma once

#include "onceward/guard/operator_command.hpp"
#include "onceward/store/record_query.hpp"
#include "store/redis/command.hpp"
#include "store/redis/resp.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::store::redis {

/// The arguments and replies of operate.lua, find.lua and list.lua, in the order of those files.

void write_operator_command(std::string& out, const Keyspace& keys, const guard::OperatorCommand& command, ScriptForm form);

struct RecordPlace {
    std::string_view route;
    const RecordId& id;
    Detail detail = Detail::fields;
};
void write_find(std::string& out, const Keyspace& keys, const RecordPlace& place, ScriptForm form);

/// A step through all keys.
struct ListStep {
    std::string scan = "0";                   ///< where SCAN goes on
    std::string pattern;                      ///< of keys
    std::size_t count = 10;                   ///< about how many keys to look at
    std::optional<guard::RecordState> state;  ///< records that can't read as this state are left out
};
void write_list(std::string& out, const ListStep& step, ScriptForm form);

struct OperatorAnswer {
    StoreTime now;
    guard::OperatorReply reply;
};
struct FindAnswer {
    StoreTime now;
    std::optional<FoundRecord> found;
};
/// Records as they are stored.
struct ListAnswer {
    StoreTime now;
    std::string scan;  ///< where to go on; `0`: that was the end
    std::vector<ListedRecord> records;
};

/// Nothing when the reply, or the record in it, can't be read.
std::optional<OperatorAnswer> read_operator_command(const Reply& reply, const guard::OperatorCommand& command);
std::optional<FindAnswer> read_find(const Reply& reply, const RecordPlace& place);
/// A record that can't be read is among the others.
std::optional<ListAnswer> read_list(const Reply& reply, const Keyspace& keys);

}  // namespace onceward::store::redis
