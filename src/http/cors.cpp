#include "onceward/http/cors.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/field_line.hpp"

namespace onceward::http {

namespace {

constexpr std::string_view allow_headers = "Access-Control-Allow-Headers";
constexpr std::string_view expose_headers = "Access-Control-Expose-Headers";
constexpr std::string_view allowed = "Idempotency-Key";
constexpr std::string_view exposed =
    "Idempotency-Status, Idempotency-Operation-Id, Idempotency-Replayed, Idempotency-Original-Date, Idempotency-Recorded, "
    "Idempotency-Guarded";

bool has_member(std::string_view list, std::string_view wanted) {
    bool found = false;
    base::for_each_list_member(list, [&](std::string_view member) { found = found || base::iequals(member, wanted); });
    return found;
}

void append_extended(std::string& out, std::string_view name, std::string_view value, std::string_view added) {
    out.append(name).append(": ").append(value);
    base::for_each_list_member(added, [&](std::string_view member) {
        if (!has_member(value, member)) {
            out.append(value.empty() && out.back() == ' ' ? "" : ", ").append(member);
        }
    });
    out.append("\r\n");
}

}  // namespace

CorsFields::CorsFields(const config::Cors* cors, const RequestHead& request)
    : allow_(cors != nullptr && cors->allow),
      expose_(cors != nullptr && cors->expose),
      preflight_(request.method == "OPTIONS" && request.headers.contains("Access-Control-Request-Method")) {}

void CorsFields::append(std::string& out, std::string_view name, std::string_view value) {
    has_origin_ = has_origin_ || base::iequals(name, "Access-Control-Allow-Origin");
    const bool names_headers = base::iequals(name, allow_headers);
    const bool exposes = base::iequals(name, expose_headers);
    has_allow_ = has_allow_ || names_headers;
    has_expose_ = has_expose_ || exposes;
    // `*` covers them all already, and is no wildcard beside other members.
    if (value != "*" && names_headers && allow_) {
        append_extended(out, name, value, allowed);
    } else if (value != "*" && exposes && expose_) {
        append_extended(out, name, value, exposed);
    } else {
        append_field(out, name, value);
    }
}

void CorsFields::finish(std::string& out) const {
    if (!has_origin_) {
        return;
    }
    if (preflight_ && allow_ && !has_allow_) {
        append_field(out, allow_headers, allowed);
    }
    if (!preflight_ && expose_ && !has_expose_) {
        append_field(out, expose_headers, exposed);
    }
}

}  // namespace onceward::http
