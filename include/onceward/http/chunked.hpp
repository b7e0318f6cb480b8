#pragma once

#include "onceward/http/headers.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// Writing chunked content (RFC 9112 section 7.1). A chunk is its header, that many bytes, and `chunk_end`.

namespace onceward::http {

inline constexpr std::string_view chunk_end = "\r\n";
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// Size line of a chunk. `size` is not 0: that would end the content.
void append_chunk_header(std::string& out, std::uint64_t size);
/// A whole chunk; nothing for empty content.
void append_chunk(std::string& out, std::string_view content);
/// The trailers of a message that came, and the fields of its head: those that `Connection` names there do not go on (RFC 9110
/// section 7.6.1).
struct TrailerForward {
    const HeaderList& trailers;
    const HeaderList& head;
};
/// The last chunk with those trailers that may stand there: never framing, routing, credentials or Onceward's own fields.
void append_last_chunk(std::string& out, const TrailerForward& in);
/// The last chunk with field lines that end in CRLF each.
void append_last_chunk(std::string& out, std::string_view lines);

}  // namespace onceward::http
