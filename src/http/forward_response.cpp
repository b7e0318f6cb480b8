#include "http/framing.hpp"
#include "onceward/http/connection_options.hpp"
#include "onceward/http/cors.hpp"
#include "onceward/http/field_kind.hpp"
#include "onceward/http/field_line.hpp"
#include "onceward/http/forward.hpp"

namespace onceward::http {

namespace {

bool has_no_content(int status) {
    return status < 200 || status == 204 || status == 304;
}

/// What a HEAD answer says about the content of GET: the upstream's own number, written anew.
void append_length_of_head(std::string& out, const ResponseForward& in) {
    if (in.request.method == "HEAD" && !has_no_content(in.head.status)) {
        if (const auto length = parse_length(in.head.headers.find("Content-Length"))) {
            append_number_field(out, "Content-Length", *length);
        }
    }
}

/// `true` for a field of the upstream's answer that goes on to the client as it is.
bool goes_on(FieldKind kind, std::string_view name, const ConnectionOptions& options, bool is_guarded) {
    switch (kind) {
        case FieldKind::idempotency_own:
            return false;
        case FieldKind::claim:
            // On guarded answers Onceward says it itself.
            return !is_guarded && !options.names(name);
        case FieldKind::via:
        case FieldKind::date:
            return true;
        default:
            return !is_of_the_hop(kind) && !options.names(name);
    }
}

void append_fields(std::string& out, const ResponseForward& in) {
    const ConnectionOptions options(in.head.headers);
    CorsFields cors(in.cors, in.request);
    bool dated = false;
    in.head.headers.for_each([&](std::string_view name, std::string_view value) {
        const FieldKind kind = classify(name);
        if (!goes_on(kind, name, options, !in.added_lines.empty())) {
            return;
        }
        if (kind == FieldKind::access_control) {
            cors.append(out, name, value);
        } else {
            dated = dated || kind == FieldKind::date;
            append_field(out, name, value);
        }
    });
    cors.finish(out);
    append_via(out, in.head.version);
    if (!dated && !in.date.empty()) {
        // RFC 9110 section 6.6.1.
        append_field(out, "Date", in.date);
    }
}

}  // namespace

ResponsePlan plan_response(const ResponseHead& head, const RequestHead& request, std::optional<std::uint64_t> known_length) {
    ResponsePlan plan{head.framing, request.keep_alive ? ConnectionUse::keep_alive : ConnectionUse::close};
    const bool open_ended =
        head.framing.kind == BodyFraming::Kind::chunked || head.framing.kind == BodyFraming::Kind::until_close;
    if (open_ended && known_length) {
        plan.framing = {BodyFraming::Kind::length, *known_length};
    } else if (open_ended && request.version == Version::http_1_1) {
        plan.framing = {BodyFraming::Kind::chunked, 0};
    } else if (open_ended) {
        plan = {{BodyFraming::Kind::until_close, 0}, ConnectionUse::close};
    }
    return plan;
}

void append_response_head(std::string& out, const ResponseForward& in) {
    append_status_line(out, in.head.status, in.head.reason);
    append_fields(out, in);
    out.append(in.added_lines);
    append_framing(out, in.plan.framing);
    append_length_of_head(out, in);
    if (in.tunnel == Tunnel::websocket) {
        out.append("Connection: Upgrade\r\nUpgrade: websocket\r\n");
    } else {
        append_connection(out, in.plan.connection, in.request.version);
    }
    out.append("\r\n");
}

void append_interim_head(std::string& out, const ResponseHead& head) {
    const ConnectionOptions options(head.headers);
    append_status_line(out, head.status, head.reason);
    head.headers.for_each([&](std::string_view name, std::string_view value) {
        if (goes_on(classify(name), name, options, false)) {
            append_field(out, name, value);
        }
    });
    out.append("\r\n");
}

}  // namespace onceward::http
