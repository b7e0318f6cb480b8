#include "oracle.hpp"

#include <algorithm>
#include <set>

namespace onceward::fuzz {

namespace {

using test::StrictRequest;

/// How many of each client's requests are behind.
using Progress = std::vector<std::size_t>;

/// Sent again on a new connection where a pooled one was found closed.
bool may_go_again(const StrictRequest& request) {
    return request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS";
}

/// Where the clients may be once one of them caused `sent`, if they were at `before`.
void advance(const Progress& before, const std::vector<std::vector<Asked>>& asked, const StrictRequest& sent,
             std::set<Progress>& after) {
    for (std::size_t client = 0; client < asked.size(); ++client) {
        const auto& requests = asked[client];
        const auto at = before[client];
        if (at > 0 && may_go_again(sent) && may_become(requests[at - 1].request, sent)) {
            after.insert(before);
        }
        for (std::size_t i = at; i < requests.size(); ++i) {
            if (may_become(requests[i].request, sent)) {
                auto next = before;
                next[client] = i + 1;
                after.insert(std::move(next));
            }
        }
    }
}

}  // namespace

void check_forwarded(const std::vector<std::vector<Asked>>& asked, const std::vector<Exchange>& exchanges) {
    std::set<Progress> possible{Progress(asked.size(), 0)};
    for (const auto& exchange : exchanges) {
        std::set<Progress> after;
        for (const auto& before : possible) {
            advance(before, asked, exchange.request, after);
        }
        expect(!after.empty(), "what reaches the service is a request that a client sent, once and in order");
        possible = std::move(after);
    }
}

}  // namespace onceward::fuzz
