#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::store::redis {

/// What the server says of itself. Empty where it does not say, or the user may not ask.
struct ServerFacts {
    std::string run_id;
    std::string replication_id;
    std::string previous_replication_id;
    std::string eviction_policy;
    std::optional<std::string> save_points;  ///< `CONFIG GET save`
    std::optional<bool> append_only;
    std::optional<int> replicas;
};

/// Reads the reply to INFO.
ServerFacts parse_info(std::string_view info);

struct Advice {
    std::string_view event;
    std::string detail;
    bool operator==(const Advice&) const = default;
};

/// What can be lost with this server, each with what it is set to.
std::vector<Advice> advise(const ServerFacts& facts);

/// Remembers which server and which data were seen, to notice that records are gone. A mark is kept in the data itself: a key
/// that vanishes with them. A server that was restarted and lost its data shows both ways: that is one loss.
class LossDetector {
public:
    /// A connection was opened to a server, which may not be the one that was seen before.
    void on_server(const ServerFacts& facts);
    /// The mark as it reads now, nothing when it is missing.
    void on_mark(std::optional<std::string_view> mark);
    /// The evidence of a loss, told once: what the mark says, else what the server says of itself.
    std::optional<std::string> take_loss();

private:
    std::string run_id_;
    std::string replication_id_;
    std::string mark_;
    std::optional<std::string> server_evidence_;
    std::optional<std::string> mark_evidence_;
    bool mark_seen_ = false;    ///< since the latest `take_loss`
    bool server_told_ = false;  ///< a loss was told without the mark: what the next one says is part of it
};

}  // namespace onceward::store::redis
