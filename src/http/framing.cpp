#include "http/framing.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/connection_options.hpp"
#include "onceward/http/field_kind.hpp"

#include <charconv>
#include <limits>

namespace onceward::http {

namespace {

struct FramingFields {
    std::size_t length_count = 0;
    std::size_t coding_count = 0;
    std::string_view length;
    std::string_view coding;
    bool lengths_differ = false;
};

FramingFields framing_fields(const HeaderList& headers) {
    FramingFields found;
    headers.for_each([&](std::string_view name, std::string_view value) {
        const FieldKind kind = classify(name);
        if (kind == FieldKind::content_length) {
            found.lengths_differ = found.lengths_differ || (found.length_count > 0 && found.length != value);
            found.length = value;
            ++found.length_count;
        } else if (kind == FieldKind::transfer_encoding) {
            found.coding = value;
            ++found.coding_count;
        }
    });
    return found;
}

// Only `chunked` itself: another coding, a parameter, a repeat or a second line is read in different ways by different servers.
bool is_chunked(const FramingFields& fields) {
    return fields.coding_count == 1 && base::iequals(fields.coding, "chunked");
}

/// Equal members of `5, 5` collapse to one; nothing when they differ or are no lengths.
std::optional<std::uint64_t> collapse_length(std::string_view list) {
    std::optional<std::uint64_t> length;
    bool valid = true;
    std::size_t start = 0;
    while (valid && start <= list.size()) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        const auto member = parse_length(base::trim(list.substr(start, end - start)));
        valid = member && (!length || *length == *member);
        length = member;
        start = end + 1;
    }
    return valid ? length : std::nullopt;
}

HeadError frame_request_content(RequestHead& head) {
    const FramingFields fields = framing_fields(head.headers);
    if (fields.coding_count > 0) {
        // RFC 9112 section 6.1: faulty in HTTP/1.0, and with Content-Length the mark of request smuggling.
        if (fields.length_count > 0 || head.version == Version::http_1_0 || !is_chunked(fields)) {
            return HeadError::bad_request;
        }
        head.framing = {BodyFraming::Kind::chunked, 0};
    } else if (fields.length_count > 0) {
        const auto length = parse_length(fields.length);
        if (fields.length_count > 1 || !length) {
            return HeadError::bad_request;
        }
        head.framing = {BodyFraming::Kind::length, *length};
    }
    return HeadError::none;
}

HeadError read_expectation(RequestHead& head) {
    bool other = false;
    bool expects = false;
    head.headers.for_each_value("Expect", [&](std::string_view value) {
        expects = true;
        other = other || !base::iequals(value, "100-continue");
    });
    // RFC 9110 section 10.1.1: an HTTP/1.0 client can't mean it.
    if (!expects || head.version == Version::http_1_0) {
        return HeadError::none;
    }
    const bool has_content = head.framing.kind == BodyFraming::Kind::chunked || head.framing.length > 0;
    head.expects_continue = has_content && !other;
    return other ? HeadError::expectation_failed : HeadError::none;
}

bool persists(Version version, const ConnectionOptions& options) {
    return !options.close() && (version == Version::http_1_1 || options.keep_alive());
}

bool has_no_content(int status, ToHead to_head) {
    return to_head == ToHead::yes || status < 200 || status == 204 || status == 304;
}

}  // namespace

std::optional<std::uint64_t> parse_length(std::string_view digits) {
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, ec] = std::from_chars(digits.data(), end, value);
    if (digits.empty() || ec != std::errc{} || stop != end || value > std::numeric_limits<std::int64_t>::max()) {
        return std::nullopt;
    }
    return value;
}

HeadError frame_request(RequestHead& head) {
    const ConnectionOptions options(head.headers);
    if (options.too_many()) {
        return HeadError::bad_request;
    }
    head.keep_alive = persists(head.version, options);
    if (const HeadError error = frame_request_content(head); error != HeadError::none) {
        return error;
    }
    head.upgrade_websocket = options.upgrade() && head.version == Version::http_1_1 && head.method == "GET" &&
                             head.framing.kind == BodyFraming::Kind::none && head.headers.has_token("Upgrade", "websocket");
    return read_expectation(head);
}

Framed frame_response(ResponseHead& head, ToHead to_head) {
    const ConnectionOptions options(head.headers);
    const FramingFields fields = framing_fields(head.headers);
    // One faulty exchange is no reason to trust the next: an HTTP/1.0 upstream is not pooled even with keep-alive.
    head.keep_alive = head.version == Version::http_1_1 && persists(head.version, options) && head.status != 101;
    if (options.too_many()) {
        return Framed::refused;
    }
    if (fields.coding_count > 0) {
        if (fields.length_count > 0 || head.version == Version::http_1_0 || !is_chunked(fields)) {
            return Framed::refused;
        }
        head.framing = {BodyFraming::Kind::chunked, 0};
    } else if (fields.length_count > 0) {
        const auto length = collapse_length(fields.length);
        if (fields.lengths_differ || !length) {
            return Framed::refused;
        }
        head.framing = {BodyFraming::Kind::length, *length};
    } else {
        head.framing = {BodyFraming::Kind::until_close, 0};
    }
    if (has_no_content(head.status, to_head)) {
        // Fields that announce content behind a 204: it may come all the same.
        const bool announced = fields.coding_count > 0 || head.framing.length > 0;
        head.keep_alive = head.keep_alive && !(head.status == 204 && announced);
        head.framing = {};
    }
    head.keep_alive = head.keep_alive && head.framing.kind != BodyFraming::Kind::until_close;
    return Framed::ok;
}

}  // namespace onceward::http
