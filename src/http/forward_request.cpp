#include "http/framing.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/http/connection_options.hpp"
#include "onceward/http/field_kind.hpp"
#include "onceward/http/field_line.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/request_id.hpp"
#include "onceward/http/trace.hpp"
#include "onceward/http/trusted_proxies.hpp"

#include <algorithm>
#include <array>

namespace onceward::http {

namespace {

bool is_among(std::span<const std::string_view> names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view known) { return base::iequals(known, name); });
}

/// A service behind CGI, WSGI or the like does not tell `-` from `_`.
bool reads_like(std::string_view name, std::string_view other) {
    const auto letter = [](char c) { return c == '_' ? '-' : base::to_lower(c); };
    return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                      [&](char a, char b) { return letter(a) == letter(b); });
}

/// Another spelling of a field that is written here, beside those that `classify` knows.
bool imitates_own(std::string_view name) {
    constexpr std::array own{std::string_view("content-length"), std::string_view("transfer-encoding"),
                             std::string_view("x-request-id")};
    return name.find('_') != std::string_view::npos &&
           std::any_of(own.begin(), own.end(), [&](std::string_view known) { return reads_like(name, known); });
}

bool is_max_forwards_method(std::string_view method) {
    return method == "OPTIONS" || method == "TRACE";
}

/// Writes one request head; each method is one rule of spec section 7.
class RequestWriter {
public:
    RequestWriter(std::string& out, const RequestForward& in)
        : out_(out), in_(in), options_(in.head.headers), traced_(!trace_id(in.head.headers).empty()) {}

    void write() {
        request_line();
        append_field(out_, "Host", in_.head.host.empty() ? in_.default_host : std::string_view(in_.head.host));
        in_.head.headers.for_each([this](std::string_view name, std::string_view value) { field(name, value); });
        append_via(out_, in_.head.version);
        client_facts();
        trace();
        claim();
        hop();
        append_framing(out_, in_.framing);
        out_.append("\r\n");
    }

private:
    void request_line() {
        const RequestHead& head = in_.head;
        out_.append(head.method).append(" ");
        if (head.target.front() == '/') {
            out_.append(head.target);
        } else {
            // Absolute-form goes on in origin-form; `*` is its own path.
            out_.append(head.path).append(head.has_query ? "?" : "").append(head.query);
        }
        out_.append(" HTTP/1.1\r\n");
    }

    void field(std::string_view name, std::string_view value) {
        switch (classify(name)) {
            case FieldKind::other:
            case FieldKind::access_control:
            case FieldKind::idempotency_own:
            case FieldKind::date:
                end_to_end(name, value);
                break;
            case FieldKind::x_forwarded_host:
            case FieldKind::x_forwarded_proto:
                // With nobody to vouch for it, it is what the client wants the service to believe.
                if (in_.client.trust == PeerTrust::trusted) {
                    append_field(out_, name, value);
                }
                break;
            case FieldKind::x_forwarded_other:
                if (in_.client.trust == PeerTrust::trusted && name.find('_') == std::string_view::npos) {
                    append_field(out_, name, value);
                }
                break;
            case FieldKind::traceparent:
            case FieldKind::tracestate:
                if (traced_ || in_.new_traceparent.empty()) {
                    append_field(out_, name, value);
                }
                break;
            case FieldKind::request_id:
                request_id(name, value);
                break;
            case FieldKind::max_forwards:
                max_forwards(name, value);
                break;
            case FieldKind::via:
                append_field(out_, name, value);
                break;
            case FieldKind::host:
            case FieldKind::expect:
            case FieldKind::claim:
            case FieldKind::forwarded:
            case FieldKind::x_forwarded_for:
            case FieldKind::connection:
            case FieldKind::hop_by_hop:
            case FieldKind::te:
            case FieldKind::upgrade:
            case FieldKind::content_length:
            case FieldKind::transfer_encoding:
                break;
        }
    }

    void end_to_end(std::string_view name, std::string_view value) {
        if (is_among(in_.key_headers, name)) {
            key(name, value);
            return;
        }
        const bool replaced = renames_key() && reads_like(name, in_.forward_key->name);
        const bool read = is_among(in_.read_headers, name) || base::iequals(name, "Idempotency-Key");
        const bool hidden = options_.names(name) || imitates_own(name);
        if (!replaced && (read || !hidden)) {
            append_field(out_, name, value);
        }
    }

    /// `Connection` can't remove it, and a route's key that is taken from it goes on as every key does.
    void request_id(std::string_view name, std::string_view value) {
        if (is_among(in_.key_headers, name)) {
            key(name, value);
            identified_ = true;
        } else if (in_.new_request_id.empty()) {
            append_field(out_, name, value);
        }
    }

    [[nodiscard]] bool renames_key() const {
        return in_.forward_key != nullptr && in_.forward_key->kind == config::ForwardKey::Kind::rename;
    }

    void key(std::string_view name, std::string_view value) {
        const auto kind = in_.forward_key == nullptr ? config::ForwardKey::Kind::keep : in_.forward_key->kind;
        if (kind == config::ForwardKey::Kind::keep) {
            append_field(out_, name, value);
        } else if (kind == config::ForwardKey::Kind::rename && !key_renamed_) {
            // Alternatives that are there together hold the same key: it goes on once.
            append_field(out_, in_.forward_key->name, value);
            key_renamed_ = true;
        }
    }

    void max_forwards(std::string_view name, std::string_view value) {
        const auto hops = parse_length(value);
        if (hops && *hops > 0 && is_max_forwards_method(in_.head.method)) {
            append_number_field(out_, name, *hops - 1);
        } else {
            append_field(out_, name, value);
        }
    }

    void client_facts() {
        const HeaderList& headers = in_.head.headers;
        const bool trusted = in_.client.trust == PeerTrust::trusted;
        forwarded_for(trusted);
        if (!trusted || !headers.contains("X-Forwarded-Proto")) {
            append_field(out_, "X-Forwarded-Proto", in_.client.scheme);
        }
        if ((!trusted || !headers.contains("X-Forwarded-Host")) && !in_.head.host.empty()) {
            append_field(out_, "X-Forwarded-Host", in_.head.host);
        }
        if (trusted && headers.contains("Forwarded")) {
            out_.append("Forwarded: ");
            append_believed_hops(out_, headers, in_.client.proxies);
            out_.append("\r\n");
        }
        if (in_.forwarded) {
            forwarded();
        }
    }

    void forwarded_for(bool trusted) {
        const std::size_t at = out_.size();
        out_.append("X-Forwarded-For: ");
        const std::size_t first = out_.size();
        if (trusted) {
            append_believed_addresses(out_, in_.head.headers, in_.client.proxies);
        }
        if (!in_.client.address.empty()) {
            out_.append(out_.size() > first ? ", " : "").append(in_.client.address);
        }
        if (out_.size() > first) {
            out_.append("\r\n");
        } else {
            out_.resize(at);
        }
    }

    void forwarded() {
        const bool v6 = in_.client.address.find(':') != std::string_view::npos;
        out_.append("Forwarded: for=");
        if (in_.client.address.empty()) {
            out_.append("unknown");
        } else {
            out_.append(v6 ? "\"[" : "").append(in_.client.address).append(v6 ? "]\"" : "");
        }
        if (!in_.head.host.empty()) {
            out_.append(";host=\"").append(in_.head.host).append("\"");
        }
        out_.append(";proto=").append(in_.client.scheme).append("\r\n");
    }

    void trace() {
        if (!traced_ && !in_.new_traceparent.empty()) {
            append_field(out_, "traceparent", in_.new_traceparent);
        }
        if (!identified_ && !in_.new_request_id.empty()) {
            append_field(out_, request_id_field, in_.new_request_id);
        }
    }

    void claim() {
        if (in_.claim) {
            append_number_field(out_, "Idempotency-Operation-Id", in_.claim->operation_id.value);
            append_number_field(out_, "Idempotency-Attempt", in_.claim->attempt.value);
            append_number_field(out_, "Idempotency-Fence", in_.claim->fence.value);
        }
    }

    void hop() {
        const bool trailers = options_.te() && in_.head.headers.has_token("TE", "trailers");
        const bool tunnel = in_.tunnel == Tunnel::websocket;
        if (tunnel) {
            out_.append("Upgrade: websocket\r\n");
        }
        if (trailers) {
            out_.append("TE: trailers\r\n");
        }
        if (tunnel || trailers) {
            append_field(out_, "Connection", !trailers ? "Upgrade" : tunnel ? "Upgrade, TE" : "TE");
        }
    }

    std::string& out_;
    const RequestForward& in_;
    ConnectionOptions options_;
    bool traced_;
    bool identified_ = false;
    bool key_renamed_ = false;
};

}  // namespace

void append_request_head(std::string& out, const RequestForward& in) {
    RequestWriter(out, in).write();
}

bool ends_here(const RequestHead& head) {
    return is_max_forwards_method(head.method) && parse_length(head.headers.find("Max-Forwards")) == 0;
}

}  // namespace onceward::http
