#include "store/redis/server_facts.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace onceward::store::redis {

namespace {

std::optional<int> parse_count(std::string_view text) {
    int count = 0;
    const auto* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, count);
    return result.ec == std::errc{} && result.ptr == end ? std::optional(count) : std::nullopt;
}

void take_fact(ServerFacts& facts, std::string_view name, std::string_view value) {
    if (name == "run_id") {
        facts.run_id = value;
    } else if (name == "master_replid") {
        facts.replication_id = value;
    } else if (name == "master_replid2") {
        facts.previous_replication_id = value;
    } else if (name == "maxmemory_policy") {
        facts.eviction_policy = value;
    } else if (name == "aof_enabled") {
        facts.append_only = value == "1";
    } else if (name == "connected_slaves") {
        facts.replicas = parse_count(value);
    }
}

/// A server that was promoted names the history that it followed before; one that merely began a new history names none.
bool was_promoted(const ServerFacts& facts) {
    const auto& previous = facts.previous_replication_id;
    return std::any_of(previous.begin(), previous.end(), [](char digit) { return digit != '0'; });
}

}  // namespace

ServerFacts parse_info(std::string_view info) {
    ServerFacts facts;
    while (!info.empty()) {
        const auto end = info.find("\r\n");
        const auto line = info.substr(0, end);
        const auto colon = line.find(':');
        if (colon != std::string_view::npos) {
            take_fact(facts, line.substr(0, colon), line.substr(colon + 1));
        }
        info.remove_prefix(end == std::string_view::npos ? info.size() : end + 2);
    }
    return facts;
}

std::vector<Advice> advise(const ServerFacts& facts) {
    std::vector<Advice> advice;
    if (!facts.eviction_policy.empty() && facts.eviction_policy != "noeviction") {
        advice.push_back(
            {"store_evicts", "maxmemory-policy is " + facts.eviction_policy +
                                 ": with full memory records are dropped, and their requests executed again; set noeviction"});
    }
    if (facts.append_only == false && facts.save_points.value_or("").empty()) {
        advice.push_back({"store_not_persistent",
                          facts.save_points ? "no persistence (appendonly no, no save points): a restart forgets every record"
                                            : "appendonly is no: a restart may forget every record"});
    } else if (facts.append_only == false) {
        advice.push_back({"store_snapshots_only", "persistence by save points only (appendonly no, save " + *facts.save_points +
                                                      "): a restart forgets the records since the last one"});
    }
    if (facts.replicas == 0) {
        advice.push_back({"store_not_replicated", "no replica is connected: with this server go all records"});
    }
    return advice;
}

void LossDetector::on_server(const ServerFacts& facts) {
    if (!run_id_.empty() && !facts.run_id.empty() && facts.run_id != run_id_) {
        server_evidence_ = "the server was restarted or replaced (another run id): recent records may be lost";
    } else if (!replication_id_.empty() && facts.replication_id != replication_id_ && was_promoted(facts)) {
        server_evidence_ = "the server follows another history (another replication id): recent records may be lost";
    }
    run_id_ = facts.run_id;
    replication_id_ = facts.replication_id;
}

void LossDetector::on_mark(std::optional<std::string_view> mark) {
    if (!mark_.empty() && !mark) {
        mark_evidence_ = "the epoch key is gone: the server was emptied, and its records are lost";
    } else if (!mark_.empty() && *mark != mark_) {
        mark_evidence_ = "another epoch key: the server was emptied or replaced, and its records are lost";
    }
    mark_ = mark.value_or("");
    mark_seen_ = true;
}

std::optional<std::string> LossDetector::take_loss() {
    const auto from_server = std::exchange(server_evidence_, std::nullopt);
    auto evidence = std::exchange(mark_evidence_, std::nullopt);
    const bool mark_seen = std::exchange(mark_seen_, false);
    if (mark_seen && std::exchange(server_told_, false)) {
        evidence.reset();
    }
    if (from_server && !mark_seen) {
        server_told_ = true;
    }
    return evidence ? evidence : from_server;
}

}  // namespace onceward::store::redis
