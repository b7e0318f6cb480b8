#include "onceward/base/ascii.hpp"
#include "request/form.hpp"
#include "request/media_type.hpp"

#include <cstddef>

namespace onceward::request {

namespace {

constexpr auto npos = std::string_view::npos;

// Whether the head of a part gives it this name.
bool is_named(std::string_view part_head, std::string_view name) {
    while (!part_head.empty()) {
        const auto line = part_head.substr(0, part_head.find("\r\n"));
        part_head.remove_prefix(line.size() < part_head.size() ? line.size() + 2 : line.size());
        const auto colon = line.find(':');
        if (colon != npos && base::iequals(base::trim(line.substr(0, colon)), "Content-Disposition")) {
            return media_parameter(line.substr(colon + 1), "name") == name;
        }
    }
    return false;
}

// What follows the next delimiter line, or npos. `closed` when it was the closing one.
std::size_t behind_delimiter(std::string_view body, std::string_view delimiter, std::size_t at, bool& closed) {
    at += delimiter.size();
    closed = body.substr(at).starts_with("--");
    const auto line_end = body.find("\r\n", at);
    return line_end == npos ? npos : line_end + 2;
}

}  // namespace

Presence read_multipart_field(std::string_view content_type, std::string_view body, std::string_view name, std::string& value) {
    const auto boundary = media_parameter(content_type, "boundary");
    if (!boundary || boundary->empty()) {
        return Presence::invalid;
    }
    const std::string delimiter = "\r\n--" + *boundary;
    // The first delimiter may stand at the very start (RFC 2046 section 5.1.1).
    const auto first = std::string_view(delimiter).substr(2);
    bool closed = false;
    const auto preamble_end = body.find(delimiter);
    auto at = body.starts_with(first) ? behind_delimiter(body, first, 0, closed)
              : preamble_end == npos  ? npos
                                      : behind_delimiter(body, delimiter, preamble_end, closed);
    auto presence = Presence::absent;
    while (!closed && at != npos) {
        const auto end = body.find(delimiter, at);
        const auto part = body.substr(at, end == npos ? npos : end - at);
        const auto head_end = part.find("\r\n\r\n");
        if (end == npos || head_end == npos) {
            return Presence::invalid;
        }
        if (is_named(part.substr(0, head_end), name)) {
            presence = presence == Presence::absent ? Presence::present : Presence::invalid;
            value = part.substr(head_end + 4);
        }
        at = behind_delimiter(body, delimiter, end, closed);
    }
    return closed ? presence : Presence::invalid;
}

}  // namespace onceward::request
