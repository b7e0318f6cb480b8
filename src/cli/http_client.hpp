#pragma once

#include "onceward/base/time.hpp"
#include "onceward/config/options.hpp"

#include <string>
#include <variant>

namespace onceward::cli {

/// A listener of a running Onceward, and the token to show it.
struct Endpoint {
    config::Address address;
    std::string token;  ///< empty: none
};

struct HttpCall {
    std::string method = "GET";
    std::string target;
    std::string content = {};  ///< JSON; empty: none
};

struct HttpReply {
    int status = 0;
    std::string content;
};

/// Sends one request on a connection of its own and waits for the answer, `limit` at most. What went wrong is told in words.
std::variant<HttpReply, std::string> send(const Endpoint& endpoint, const HttpCall& call, milliseconds limit);

/// For a query: everything but letters, digits and `-._~` as `%XX`.
std::string query_escaped(std::string_view text);

}  // namespace onceward::cli
