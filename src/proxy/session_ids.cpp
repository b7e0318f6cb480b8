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
    } else if (tells_key(entry.trace_id)) {
        entry.trace_id = {};
    }
    entry.request_id = http::request_id(head.headers);
    if (entry.request_id.empty()) {
        entry.request_id = new_request_id();
    } else if (tells_key(entry.request_id)) {
        entry.request_id = {};
    }
}

/// Some clients send one value as their key and as an id of the request. A key is never logged.
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
