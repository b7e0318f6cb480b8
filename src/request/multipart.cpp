#include "onceward/base/ascii.hpp"
#include "request/form.hpp"
#include "request/media_type.hpp"

#include <algorithm>
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

/// What follows a delimiter up to the end of its line (RFC 2046 section 5.1.1): blanks at most, so that a boundary which begins
/// like another is not taken for it.
struct DelimiterEnd {
    bool sound = false;
    bool closing = false;
    std::size_t next = 0;  ///< where the part behind it begins
};

DelimiterEnd read_delimiter_end(std::string_view body, std::size_t at) {
    DelimiterEnd end;
    end.closing = body.substr(at).starts_with("--");
    at += end.closing ? 2 : 0;
    at = std::min(body.find_first_not_of(" \t", at), body.size());
    const bool line_ends = body.substr(at).starts_with("\r\n");
    end.sound = line_ends || (end.closing && at == body.size());
    end.next = at + 2;
    return end;
}

}  // namespace

std::optional<std::vector<MultipartPart>> parse_multipart(std::string_view content_type, std::string_view body) {
    const auto boundary = media_parameter(content_type, "boundary");
    if (!boundary || boundary->empty()) {
        return std::nullopt;
    }
    const std::string delimiter = "\r\n--" + *boundary;
    // The first delimiter may stand at the very start (RFC 2046 section 5.1.1).
    const auto first = std::string_view(delimiter).substr(2);
    auto at = body.starts_with(first) ? 0 : body.find(delimiter);
    auto length = body.starts_with(first) ? first.size() : delimiter.size();
    std::vector<MultipartPart> parts;
    for (;;) {
        if (at == npos) {
            return std::nullopt;
        }
        const auto line = read_delimiter_end(body, at + length);
        if (!line.sound) {
            return std::nullopt;
        }
        if (line.closing) {
            return parts;
        }
        const auto end = body.find(delimiter, line.next);
        const auto part = body.substr(line.next, end == npos ? npos : end - line.next);
        const auto head_end = part.find("\r\n\r\n");
        if (head_end == npos) {
            return std::nullopt;
        }
        parts.push_back({part.substr(0, head_end), part.substr(head_end + 4)});
        at = end;
        length = delimiter.size();
    }
}

Presence read_multipart_field(std::string_view content_type, std::string_view body, std::string_view name, std::string& value) {
    const auto parts = parse_multipart(content_type, body);
    if (!parts) {
        return Presence::invalid;
    }
    auto presence = Presence::absent;
    for (const auto& part : *parts) {
        if (is_named(part.head, name)) {
            presence = presence == Presence::absent ? Presence::present : Presence::invalid;
            value = part.content;
        }
    }
    return presence;
}

}  // namespace onceward::request
