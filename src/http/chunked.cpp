#include "onceward/http/chunked.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/connection_options.hpp"
#include "onceward/http/field_kind.hpp"
#include "onceward/http/field_line.hpp"

#include <array>
#include <charconv>

namespace onceward::http {

namespace {

// RFC 9110 section 6.5.1: fields that a recipient must know before the content. What is read as a decision (who asks, what to do,
// where to go) never arrives behind it.
constexpr std::array<std::string_view, 14> never_trailers{
    "authorization", "proxy-authorization", "proxy-authenticate", "www-authenticate", "cookie",
    "set-cookie",    "content-type",        "content-range",      "content-encoding", "cache-control",
    "range",         "idempotency-key",     "location",           "retry-after"};

bool may_be_trailer(std::string_view name) {
    if (classify(name) != FieldKind::other) {
        return false;
    }
    for (const auto never : never_trailers) {
        if (base::iequals(name, never)) {
            return false;
        }
    }
    return true;
}

}  // namespace

void append_chunk_header(std::string& out, std::uint64_t size) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, size, 16).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits)).append("\r\n");
}

void append_chunk(std::string& out, std::string_view content) {
    if (!content.empty()) {
        append_chunk_header(out, content.size());
        out.append(content).append(chunk_end);
    }
}

void append_last_chunk(std::string& out, const TrailerForward& in) {
    const ConnectionOptions options(in.head);
    out.append("0\r\n");
    in.trailers.for_each([&](std::string_view name, std::string_view value) {
        if (may_be_trailer(name) && !options.names(name)) {
            append_field(out, name, value);
        }
    });
    out.append("\r\n");
}

void append_last_chunk(std::string& out, std::string_view lines) {
    out.append("0\r\n").append(lines).append("\r\n");
}

}  // namespace onceward::http
