#include "onceward/crypto/random.hpp"
#include "onceward/http/request_id.hpp"
#include "onceward/http/trace.hpp"
#include "proxy/loop.hpp"
#include "proxy/session.hpp"

#include <array>

/// @file
/// The ids by which a request is found again in the logs of all that it passed: the client's, or made here.

namespace onceward::proxy {

/// Also for an answer of our own: every line has both, but for an id that is the key.
void Session::name_ids(telemetry::AccessEntry& entry) {
    entry.trace_id = http::trace_id(head.headers);
    if (entry.trace_id.empty()) {
        entry.trace_id = http::trace_id(new_traceparent());
    } else if (tally.trace_id_tells_key || tells_key(entry.trace_id)) {
        entry.trace_id = {};
    }
    entry.request_id = http::request_id(head.headers);
    if (entry.request_id.empty()) {
        entry.request_id = new_request_id();
    } else if (tally.request_id_tells_key || tells_key(entry.request_id)) {
        entry.request_id = {};
    }
}

/// A key is never logged: where a path has a place for one, the route's pattern stands in, also when the request is no business
/// of that route.
std::string_view Session::path_to_log() const {
    if (tally.guarded && plan().path_keys && (*plan().path_keys)[tally.route_index]) {
        return options().routes[tally.route_index].path;
    }
    const auto* holder = plan().path_keys ? plan().routes.path_keeper(head, *plan().path_keys) : nullptr;
    return holder != nullptr ? std::string_view(holder->path) : std::string_view(head.path);
}

/// Some clients send one value as their key and as an id of the request; this looks at a head of which no key was made yet.
bool Session::tells_key(std::string_view id) const {
    bool found = false;
    const auto look = [&](std::string_view value) { found = found || value.find(id) != std::string_view::npos; };
    head.headers.for_each_value("Idempotency-Key", look);
    if (tally.guarded) {
        for (const auto name : plan().key_headers[tally.route_index]) {
            head.headers.for_each_value(name, look);
        }
    }
    return found;
}

const std::string& Session::new_traceparent() {
    if (traceparent_.empty() && http::trace_id(head.headers).empty()) {
        std::array<std::uint8_t, 24> random{};
        crypto::random_bytes(random);
        http::make_traceparent(traceparent_, random);
    }
    return traceparent_;
}

const std::string& Session::new_request_id() {
    if (request_id_.empty() && http::request_id(head.headers).empty()) {
        std::array<std::uint8_t, 16> random{};
        crypto::random_bytes(random);
        http::make_request_id(request_id_, random);
    }
    return request_id_;
}

}  // namespace onceward::proxy
