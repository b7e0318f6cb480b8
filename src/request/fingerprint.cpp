#include "request/fingerprint.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/crypto/sha256.hpp"
#include "onceward/route/target.hpp"
#include "request/canonical_json.hpp"
#include "request/form.hpp"
#include "request/media_type.hpp"

#include <algorithm>
#include <span>

namespace onceward::request {

namespace {

using config::PartKind;
using crypto::append_sized;
using crypto::as_text;
using crypto::sha256;

constexpr std::size_t part_digest_bytes = 8;
constexpr std::size_t parts_text_max = 4096;
// Capacity of a buffer that stays for the next request; more than that is given back.
constexpr std::size_t kept_bytes = 64 * 1024;

// Buffers of one thread, used for the length of a call.
thread_local std::string path_text;
thread_local std::string input;
thread_local std::string canonical;

std::string part_name(const config::Part& part) {
    switch (part.kind) {
        case PartKind::method:
            return "method";
        case PartKind::path:
            return "path";
        case PartKind::query:
            return "query";
        case PartKind::body:
            return "body";
        case PartKind::header:
            return "header:" + part.header;
    }
    return {};
}

// The Content-Type of a form whose boundary a client chooses anew each time.
std::optional<std::string_view> form_type(const http::HeaderList& headers) {
    const auto type = headers.find("Content-Type");
    return headers.count("Content-Type") == 1 && is_multipart_form(type) ? std::optional(type) : std::nullopt;
}

// Of the parts, whatever stands between them. Nothing for what is no form: its raw bytes count.
std::optional<Digest> form_digest(std::string_view type, std::string_view body) {
    const auto parts = parse_multipart(type, body);
    if (!parts) {
        return std::nullopt;
    }
    // A word in front, so that no other reading of a body ever equals this one.
    crypto::Sha256 digest;
    digest.update("multipart");
    for (const auto& part : *parts) {
        digest.update_sized(part.head);
        digest.update_sized(part.content);
    }
    return digest.finish();
}

// Everything that changes what a fingerprint means. Its digest is the version: a new line here makes all records
// FINGERPRINT_CHANGED.
std::string configuration_text(const config::Route& route) {
    std::string text = "fingerprint 1\n";
    for (const auto& part : route.fingerprint.parts) {
        text += base::to_lower(part_name(part)) + "\n";
    }
    text += route.case_sensitive ? "case kept\n" : "case folded\n";
    if (route.fingerprint.json == config::JsonMode::canonical) {
        text += "json canonical\n";
        auto ignore = route.fingerprint.ignore;
        std::sort(ignore.begin(), ignore.end());
        for (const auto& pointer : ignore) {
            append_sized(text, pointer);
        }
    }
    return text;
}

}  // namespace

FingerprintRule::FingerprintRule(const config::Route& route)
    : case_sensitive_(route.case_sensitive), json_(route.fingerprint.json) {
    for (const auto& pointer : route.fingerprint.ignore) {
        if (auto parsed = parse_json_pointer(pointer)) {
            ignored_.push_back(std::move(*parsed));
        }
    }
    std::size_t text_size = 0;
    for (const auto& part : route.fingerprint.parts) {
        parts_.push_back({part.kind, part_name(part), part.header});
        text_size += parts_.back().name.size() + 2 * part_digest_bytes + 2;
        named_parts_ += text_size <= parts_text_max ? 1 : 0;
    }
    known_.push_back({"", sha256("")});
    for (const auto& method : route.methods) {
        known_.push_back({method, sha256(method)});
    }
    std::string path;
    route::append_normalised_path(path, route.path, route::PathParameters::kept,
                                  case_sensitive_ ? route::PathCase::kept : route::PathCase::folded);
    known_.push_back({path, sha256(path)});
    const auto digest = sha256(configuration_text(route));
    std::copy_n(digest.bytes.begin(), version_.bytes.size(), version_.bytes.begin());
}

Digest FingerprintRule::digest_of(std::string_view text) const {
    const auto known = std::find_if(known_.begin(), known_.end(), [text](const Known& one) { return one.text == text; });
    return known != known_.end() ? known->digest : sha256(text);
}

bool FingerprintRule::reads_body(const http::HeaderList& headers) const {
    const auto is_body = [](const Part& part) { return part.kind == PartKind::body; };
    return (json_ == config::JsonMode::canonical || form_type(headers)) && std::any_of(parts_.begin(), parts_.end(), is_body);
}

Digest FingerprintRule::body_digest(const RequestView& request, const Digest& raw_body) const {
    if (const auto type = form_type(request.head.headers)) {
        if (const auto digest = form_digest(*type, request.body)) {
            return *digest;
        }
    }
    if (json_ == config::JsonMode::raw) {
        return raw_body;
    }
    // Two words in front, so that the raw reading of one body never equals the canonical reading of another.
    canonical = "json";
    if (!append_canonical_json(canonical, request.body, ignored_)) {
        canonical = "raw";
        canonical.append(as_text(raw_body));
    }
    const auto digest = sha256(canonical);
    if (canonical.capacity() > kept_bytes) {
        std::string().swap(canonical);
    }
    return digest;
}

Digest FingerprintRule::part_digest(const Part& part, const RequestView& request, const Digest& raw_body) const {
    switch (part.kind) {
        case PartKind::method:
            return digest_of(request.head.method);
        case PartKind::path:
            path_text.clear();
            route::append_normalised_path(path_text, request.head.path, route::PathParameters::kept,
                                          case_sensitive_ ? route::PathCase::kept : route::PathCase::folded);
            return digest_of(path_text);
        case PartKind::query:
            return digest_of(request.head.query);
        case PartKind::body:
            return body_digest(request, raw_body);
        case PartKind::header: {
            std::string value;
            const auto presence = read_header(request.head.headers, part.header, Repeats::joined, value);
            // An empty field is not an absent one.
            return presence == Presence::present ? sha256("=" + value) : digest_of("");
        }
    }
    return {};
}

void FingerprintRule::apply(const RequestView& request, guard::RequestIdentity& identity) const {
    const auto raw_body = request.body_digest != nullptr ? *request.body_digest : digest_of(request.body);
    identity.version = version_;
    identity.parts.clear();
    identity.parts.reserve(named_parts_ * 32);
    input.assign(reinterpret_cast<const char*>(version_.bytes.data()), version_.bytes.size());
    std::size_t named = 0;
    for (const auto& part : parts_) {
        const auto digest = part_digest(part, request, raw_body);
        input.append(as_text(digest));
        if (named++ < named_parts_) {
            identity.parts.append(named > 1 ? "," : "").append(part.name).push_back('=');
            base::append_hex(identity.parts, std::span(digest.bytes).first<part_digest_bytes>());
        }
    }
    identity.fingerprint = sha256(input);
    input.clear();
    append_sized(input, request.head.method);
    append_sized(input, request.head.target);
    append_sized(input, as_text(raw_body));
    identity.raw = sha256(input);
}

}  // namespace onceward::request
