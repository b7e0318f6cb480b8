#pragma once

#include <cstdint>
#include <string_view>

namespace onceward::http {

/// The fields that a proxy has a rule for. Everything else is `other`: sent on as it is.
enum class FieldKind : std::uint8_t {
    other,
    connection,
    hop_by_hop,  ///< Keep-Alive, Proxy-Connection, Trailer
    te,
    upgrade,
    content_length,
    transfer_encoding,
    host,
    expect,
    max_forwards,
    via,
    date,
    forwarded,
    x_forwarded_for,
    x_forwarded_host,
    x_forwarded_proto,
    x_forwarded_other,  ///< any other X-Forwarded-…, and each of them spelt with `_`
    traceparent,
    tracestate,
    request_id,
    claim,            ///< Idempotency-Operation-Id, -Attempt, -Fence: what Onceward tells the service
    idempotency_own,  ///< Idempotency-Status, -Replayed, -Recorded, -Guarded, -Original-Date, -Outcome: what it tells the client,
                      ///< and is told
    access_control
};

/// Names compare without case. The fields of Onceward's own and X-Forwarded-* are recognised with `_` for `-` too: CGI and WSGI
/// services read both spellings as one.
FieldKind classify(std::string_view name);

/// Whether `name` is `lower`, a name in lower case, in any case and with `_` for `-`.
bool spelt_like(std::string_view name, std::string_view lower);

/// Never sent on, in either direction: of the hop, or framing, which is written anew.
constexpr bool is_of_the_hop(FieldKind kind) {
    return kind == FieldKind::connection || kind == FieldKind::hop_by_hop || kind == FieldKind::te ||
           kind == FieldKind::upgrade || kind == FieldKind::content_length || kind == FieldKind::transfer_encoding;
}

}  // namespace onceward::http
