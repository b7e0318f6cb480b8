#pragma once

#include "onceward/http/forward.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// Writing parts of a head.

namespace onceward::http {

inline void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
}

template <typename Number>
void append_number(std::string& out, Number number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

template <typename Number>
void append_number_field(std::string& out, std::string_view name, Number number) {
    out.append(name).append(": ");
    append_number(out, number);
    out.append("\r\n");
}

/// `HTTP/1.1 200 OK` and the line end; Onceward speaks 1.1 whatever the other side speaks (RFC 9112 section 2.3).
inline void append_status_line(std::string& out, int status, std::string_view reason) {
    out.append("HTTP/1.1 ");
    append_number(out, status);
    out.append(" ").append(reason).append("\r\n");
}

/// Content-Length or Transfer-Encoding; nothing for `none` and `until_close`.
void append_framing(std::string& out, const BodyFraming& framing);

/// Connection where the client can't take it for granted: `close`, or `keep-alive` to an HTTP/1.0 client.
void append_connection(std::string& out, ConnectionUse use, Version client_version);

/// `Via: 1.1 onceward`, with the version of the message received, behind the members that are there (RFC 9110 section 7.6.3).
void append_via(std::string& out, Version received);

}  // namespace onceward::http
