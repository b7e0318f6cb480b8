#pragma once

#include "cli/http_client.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace onceward::cli {

/// Why a command ends here, for people, with its exit code.
struct Stop {
    int exit_code = 1;
    std::string what;
};

/// The records of a running Onceward, over its admin listener. Every function throws `Stop`.
class AdminClient {
public:
    using Json = nlohmann::json;
    /// `limit`: how long an answer is waited for.
    AdminClient(Endpoint endpoint, milliseconds limit) : endpoint_(std::move(endpoint)), limit_(limit) {}

    /// Up to `limit` records that fit `query` (`&state=UNKNOWN…`); `more` tells whether there may be others.
    struct Page {
        std::vector<Json> records;
        bool more = false;
    };
    Page list(const std::string& query, std::size_t limit);
    /// `content` empty: none.
    Json call(const std::string& method, const std::string& target, const std::string& content = {});

private:
    Endpoint endpoint_;
    milliseconds limit_;
};

}  // namespace onceward::cli
