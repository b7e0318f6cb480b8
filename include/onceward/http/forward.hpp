#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/config/options.hpp"
#include "onceward/http/message.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// @file
/// Heads for the other side (spec section 7): the end-to-end fields in their order and spelling, without what belongs to the hop,
/// with one framing of our own. Values in, bytes appended out.

namespace onceward::http {

/// Whether the connection is used on behind a message.
enum class ConnectionUse : std::uint8_t { keep_alive, close };

/// Whether the connection stops being HTTP with this message.
enum class Tunnel : std::uint8_t { no, websocket };

/// `trusted_proxies`: whether what the peer says about the client is believed.
enum class PeerTrust : std::uint8_t { untrusted, trusted };

/// The client connection, as X-Forwarded-* and Forwarded tell it.
struct ClientFacts {
    std::string_view address = {};  ///< IP address, IPv6 without brackets; empty for a unix socket
    std::string_view scheme = "http";
    PeerTrust trust = PeerTrust::untrusted;
    std::span<const config::Cidr> proxies = {};  ///< `trusted_proxies`, for what stands before the peer's own word
    /// Of the certificate that the client has shown; may be empty. Nothing: it showed none.
    std::optional<std::string_view> tls_subject = {};
};

/// What a guarded request carries for the service (spec section 2.6).
struct ClaimFields {
    OperationId operation_id;
    Attempt attempt;
    Fence fence;
};

struct RequestForward {
    const RequestHead& head;
    BodyFraming framing = {};  ///< as it will be sent: `none`, `length` or `chunked`
    ClientFacts client = {};
    std::string_view default_host = {};  ///< Host where an HTTP/1.0 client sent none: the upstream's authority
    bool forwarded = false;              ///< `forwarded: true`: also send RFC 7239 Forwarded
    std::optional<ClaimFields> claim = {};
    /// The headers that the route takes its key from; `forward_key` is what is done with them. Nothing for requests without a
    /// route.
    std::span<const std::string_view> key_headers = {};
    const config::ForwardKey* forward_key = nullptr;
    /// Other headers that the route reads (scope, caller, fingerprint): like the key's, `Connection` can't remove them.
    std::span<const std::string_view> read_headers = {};
    /// Sent where the client's `traceparent` is missing or broken; see `make_traceparent`. Empty: none is added.
    std::string_view new_traceparent = {};
    /// Sent where the client's `X-Request-Id` is missing or not believed; see `make_request_id`. Empty: the client's goes on.
    std::string_view new_request_id = {};
    Tunnel tunnel = Tunnel::no;
};

/// Request line and fields up to and with the empty line, as HTTP/1.1. `Expect` is never sent: Onceward answered it.
void append_request_head(std::string& out, const RequestForward& in);

/// OPTIONS or TRACE with `Max-Forwards: 0`: answered here, not forwarded (RFC 9110 section 7.6.2).
bool ends_here(const RequestHead& head);

/// How a response goes on to the client that sent `request`.
struct ResponsePlan {
    BodyFraming framing;
    ConnectionUse connection = ConnectionUse::keep_alive;
};
/// By the client's version and wish, and by what the upstream's framing tells. `known_length` where the content is held whole.
ResponsePlan plan_response(const ResponseHead& head, const RequestHead& request, std::optional<std::uint64_t> known_length = {});

struct ResponseForward {
    const ResponseHead& head;
    const RequestHead& request;
    ResponsePlan plan;
    std::string_view date = {};  ///< sent where the upstream sent none
    const config::Cors* cors = nullptr;
    std::string_view added_lines = {};  ///< field lines, CRLF each: see reply/idempotency_fields.hpp
    Tunnel tunnel = Tunnel::no;         ///< `websocket` for the 101 that answers an upgrade
};

/// Status line and fields up to and with the empty line.
void append_response_head(std::string& out, const ResponseForward& in);

/// A 1xx on its way to an HTTP/1.1 client; HTTP/1.0 clients get none.
void append_interim_head(std::string& out, const ResponseHead& head);
inline constexpr std::string_view continue_response = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace onceward::http
