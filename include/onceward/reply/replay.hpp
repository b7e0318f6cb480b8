#pragma once

#include "onceward/base/result.hpp"
#include "onceward/config/options.hpp"
#include "onceward/guard/record.hpp"
#include "onceward/http/forward.hpp"

#include <span>
#include <string>
#include <string_view>

namespace onceward::reply {

/// `guard::RecordedResponse::head` of an answer: reason phrase, CRLF, then the end-to-end field lines in their order, CRLF each.
/// Without framing, hop-by-hop fields, Date (kept as the record's time), Onceward's own fields, and those named in `except`
/// (`record_headers_except`).
void append_recorded_head(std::string& out, const http::ResponseHead& head, std::span<const std::string> except,
                          std::string_view method);

struct Replay {
    const guard::Record& record;  ///< COMPLETED, with a response that is not truncated
    const http::RequestHead& request;
    http::ConnectionUse connection = http::ConnectionUse::keep_alive;
    std::string_view date = {};
    const config::Cors* cors = nullptr;
};

enum class ReplayError : std::uint8_t { none, unreadable };

/// Head of the recorded answer, to be followed by `replay_body`. `unreadable`: the record does not hold a head that can be sent
/// safely (STORE_CORRUPT); nothing was appended then.
///
/// `Idempotency-Original-Date` is the record's `updated_at`: the store's time at which the answer was completed.
/// Access-Control-* fields that were made for another origin are left out.
[[nodiscard]] ReplayError append_replay_head(std::string& out, const Replay& in);

/// Content to send behind it that lies in pieces beside the record, in bytes; 0 for HEAD, 204 and 304.
std::uint64_t replay_bytes_in_pieces(const Replay& in);

/// Content to send behind it otherwise: a view into the record; empty for HEAD, 204 and 304.
std::string_view replay_body(const Replay& in);

}  // namespace onceward::reply
