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
/// that vanishes with them.
class LossDetector {
public:
    /// A connection was opened to a server. The evidence when this is not the one that was seen before.
    std::optional<std::string> on_server(const ServerFacts& facts);
    /// The mark as it reads now, nothing when it is missing. The evidence when it was there before, or was another.
    std::optional<std::string> on_mark(std::optional<std::string_view> mark);

private:
    std::string run_id_;
    std::string replication_id_;
    std::string mark_;
};

}  // namespace onceward::store::redis
