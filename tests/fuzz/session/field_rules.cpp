// What a proxy may change of the fields of a message: RFC 9110 section 7.6, and what is documented of this one.

#include "exchange.hpp"

#include <algorithm>
#include <initializer_list>

namespace onceward::fuzz {

namespace {

using test::Extent;
using test::same_name;
using test::StrictField;
using test::StrictFields;
using test::StrictRequest;
using test::StrictResponse;

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view each) { return same_name(each, name); });
}

/// Names that CGI reads as one are one.
std::string with_dashes(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), '_', '-');
    return out;
}

bool is_of_hop_or_framing(std::string_view name) {
    return is_among(name, {"Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade", "Transfer-Encoding",
                           "Content-Length"});
}

/// Fields that the proxy writes, drops or changes by rules of their own.
bool is_changed_in_request(std::string_view name) {
    const auto dashed = with_dashes(name);
    return is_of_hop_or_framing(name) || is_claim_field(name) || same_name(dashed.substr(0, 12), "X-Forwarded-") ||
           is_among(dashed, {"Content-Length", "Transfer-Encoding", "X-Request-Id"}) ||
           is_among(name, {"Host", "Expect", "Via", "Forwarded", "traceparent", "tracestate", "Max-Forwards"});
}

/// Onceward's own fields for the client, and what the service tells it.
bool is_answer_field(std::string_view dashed) {
    return is_among(dashed, {"Idempotency-Status", "Idempotency-Replayed", "Idempotency-Recorded", "Idempotency-Guarded",
                             "Idempotency-Original-Date", "Idempotency-Outcome"});
}

bool is_changed_in_response(std::string_view name) {
    const auto dashed = with_dashes(name);
    return is_of_hop_or_framing(name) || is_claim_field(name) || same_name(dashed.substr(0, 15), "Access-Control-") ||
           is_answer_field(dashed) || is_among(name, {"Via", "Date"});
}

bool is_added_to_response(std::string_view name) {
    return is_of_hop_or_framing(name) || is_claim_field(name) || is_among(name, {"Via", "Date"}) ||
           is_answer_field(with_dashes(name));
}

/// Fields that the Connection field of a client can't take away.
bool outlives_connection(std::string_view name, const StrictRequest& sent) {
    return is_changed_in_request(name) || same_name(name, "Idempotency-Key") ||
           (is_claimed(sent) && same_name(name, "Authorization"));
}

template <typename Kept>
StrictFields filtered(const StrictFields& fields, Kept kept) {
    StrictFields out;
    std::copy_if(fields.begin(), fields.end(), std::back_inserter(out),
                 [&](const StrictField& field) { return kept(field.name); });
    return out;
}

bool names(const StrictFields& fields, std::string_view name) {
    return has_member(fields, "Connection", name);
}

bool hop_fields_are_own(const StrictRequest& asked, const StrictRequest& sent) {
    const bool upgrade = count_fields(sent.fields, "Upgrade") > 0;
    const bool trailers = count_fields(sent.fields, "TE") > 0;
    const auto options = list_members(sent.fields, "Connection");
    const bool upgrade_is_asked = names(asked.fields, "Upgrade") && has_member(asked.fields, "Upgrade", "websocket");
    const bool trailers_are_asked = names(asked.fields, "TE") && has_member(asked.fields, "TE", "trailers");
    return count_fields(sent.fields, "Keep-Alive") + count_fields(sent.fields, "Proxy-Connection") == 0 &&
           options.size() == static_cast<std::size_t>(upgrade) + static_cast<std::size_t>(trailers) &&
           (!upgrade || (upgrade_is_asked && names(sent.fields, "Upgrade"))) &&
           (!trailers || (trailers_are_asked && names(sent.fields, "TE")));
}

bool fields_go_on(const StrictRequest& asked, const StrictRequest& sent) {
    const auto removed = [&](std::string_view name) { return names(asked.fields, name) && !outlives_connection(name, sent); };
    const auto plain = [&](std::string_view name) { return !is_changed_in_request(name) && !removed(name); };
    return filtered(asked.fields, plain) == filtered(sent.fields, plain) && filtered(sent.fields, removed).empty() &&
           hop_fields_are_own(asked, sent);
}

/// Trailers are a part of those that came, without what decides about a message.
bool trailers_go_on(const StrictFields& head, const StrictFields& came, const StrictFields& went) {
    auto from = came.begin();
    for (const auto& trailer : went) {
        from = std::find(from, came.end(), trailer);
        const bool decides = is_changed_in_request(trailer.name) || is_changed_in_response(trailer.name) ||
                             is_among(trailer.name, {"Authorization", "Idempotency-Key", "Content-Type", "Cookie", "Set-Cookie"});
        if (from == came.end() || decides || names(head, trailer.name)) {
            return false;
        }
        ++from;
    }
    return true;
}

bool content_goes_on(const test::StrictMessage& came, const test::StrictMessage& went) {
    if (went.extent == Extent::whole) {
        return came.extent == Extent::whole && went.content == came.content;
    }
    return went.extent == Extent::cut && came.content.starts_with(went.content);
}

}  // namespace

bool is_claim_field(std::string_view name) {
    return is_among(with_dashes(name), {"Idempotency-Operation-Id", "Idempotency-Attempt", "Idempotency-Fence"});
}

bool may_become(const StrictRequest& asked, const StrictRequest& sent) {
    const auto host = field_value(sent.fields, "Host");
    return asked.method == sent.method && asked.path == sent.path && content_goes_on(asked, sent) && fields_go_on(asked, sent) &&
           trailers_go_on(asked.fields, asked.trailers, sent.trailers) &&
           host == (asked.authority.empty() ? std::string_view("localhost") : std::string_view(asked.authority));
}

bool may_become(const StrictResponse& sent, const StrictResponse& received) {
    const bool replayed = count_fields(received.fields, "Idempotency-Replayed") > 0;
    const auto plain = [&](std::string_view name) {
        return !is_changed_in_response(name) && !names(sent.fields, name) && !(replayed && same_name(name, "Set-Cookie"));
    };
    const auto removed = [&](std::string_view name) { return names(sent.fields, name) && !is_added_to_response(name); };
    return sent.status == received.status && sent.reason == received.reason && content_goes_on(sent, received) &&
           filtered(sent.fields, plain) == filtered(received.fields, plain) && filtered(received.fields, removed).empty() &&
           trailers_go_on(sent.fields, sent.trailers, received.trailers);
}

}  // namespace onceward::fuzz
