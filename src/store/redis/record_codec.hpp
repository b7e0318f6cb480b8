#pragma once

#include "onceward/guard/command.hpp"
#include "onceward/store/store.hpp"
#include "store/redis/command.hpp"
#include "store/redis/resp.hpp"

#include <optional>
#include <string>

namespace onceward::store::redis {

/// The script's arguments for each request, and what its reply says. The order is that of the .lua files.

void write_claim(std::string& out, const Keyspace& keys, const guard::ClaimRequest& request, ScriptForm form);
void write_command(std::string& out, const Keyspace& keys, const guard::Command& command, ScriptForm form);
void write_append(std::string& out, const Keyspace& keys, const guard::ContentPiece& piece, ScriptForm form);
void write_worker_lease(std::string& out, const Keyspace& keys, const WorkerLeaseRequest& request, ScriptForm form);

/// The store's clock when the script ran: the second element of every script's reply.
struct ClaimAnswer {
    StoreTime now;
    guard::ClaimReply reply;
};
struct CommandAnswer {
    StoreTime now;
    guard::CommandReply reply;
};
struct AppendAnswer {
    StoreTime now;
    guard::PieceVerdict verdict = guard::PieceVerdict::fenced;
};
struct WorkerAnswer {
    StoreTime now;
    std::optional<WorkerLease> lease;  ///< nothing: taken
};

/// Nothing when the reply, or the record in it, can't be read.
std::optional<ClaimAnswer> read_claim(const Reply& reply, const guard::ClaimRequest& request);
std::optional<CommandAnswer> read_command(const Reply& reply);
std::optional<AppendAnswer> read_append(const Reply& reply);
std::optional<WorkerAnswer> read_worker_lease(const Reply& reply);
/// The clock alone, of a reply that says nothing else.
std::optional<StoreTime> read_clock(const Reply& reply);

}  // namespace onceward::store::redis
