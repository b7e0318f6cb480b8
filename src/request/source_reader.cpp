#include "request/source_reader.hpp"

#include "onceward/base/ascii.hpp"
#include "request/form.hpp"
#include "request/jwt.hpp"
#include "request/media_type.hpp"

#include <algorithm>

namespace onceward::request {

namespace {

using config::SourceKind;

// Bool, null and containers are no names for an operation (spec section 2.2).
Presence read_pointer(const JsonDocument& document, const JsonPointer& pointer, std::string& value) {
    const auto search = document.find(pointer);
    if (search.found != JsonDocument::Found::once) {
        return search.found == JsonDocument::Found::absent ? Presence::absent : Presence::invalid;
    }
    const auto& node = document.nodes()[search.index];
    if (node.kind != JsonDocument::Kind::string && node.kind != JsonDocument::Kind::number) {
        return Presence::invalid;
    }
    value = document.text(node);
    return Presence::present;
}

// A broken JSON text may still be taken by a lenient service: it must not pass as one without a key.
bool means_json(const RequestView& request) {
    const auto type = request.head.headers.find("Content-Type");
    const auto start = request.body.find_first_not_of(" \t\r\n");
    return type.data() == nullptr || is_json_type(type) || request.body[start] == '{' || request.body[start] == '[';
}

// Certificates without a subject would all be one client.
Presence read_subject(const http::ClientFacts& client, std::string& value) {
    if (!client.tls_subject) {
        return Presence::absent;
    }
    value = *client.tls_subject;
    return value.empty() ? Presence::invalid : Presence::present;
}

}  // namespace

SourceReader::SourceReader(const config::Source& source, const std::vector<std::string>& path_parameters) : source_(source) {
    if (source.kind == SourceKind::json) {
        pointer_ = parse_json_pointer(source.name).value_or(JsonPointer{});
    } else if (source.kind == SourceKind::jwt) {
        pointer_ = {source.name};
    }
    parameter_ = static_cast<std::size_t>(std::find(path_parameters.begin(), path_parameters.end(), source.name) -
                                          path_parameters.begin());
}

bool SourceReader::needs_body() const {
    return source_.kind == SourceKind::json || source_.kind == SourceKind::form || source_.kind == SourceKind::multipart ||
           source_.kind == SourceKind::derived;
}

Presence read_header(const http::HeaderList& headers, std::string_view name, Repeats repeats, std::string& value) {
    std::size_t count = 0;
    value.clear();
    headers.for_each_value(name, [&](std::string_view line) {
        value.append(count > 0 ? ", " : "").append(line);
        ++count;
    });
    if (count > 1 && repeats == Repeats::refused) {
        return Presence::invalid;
    }
    return count > 0 ? Presence::present : Presence::absent;
}

Presence SourceReader::read(const RequestView& request, Repeats repeats, std::string& value) const {
    const auto& head = request.head;
    const auto content_type = head.headers.find("Content-Type");
    switch (source_.kind) {
        case SourceKind::header:
            return read_header(head.headers, source_.name, repeats, value);
        case SourceKind::query:
            return read_form_field(head.query, source_.name, value);
        case SourceKind::json:
            return read_json(request, value);
        case SourceKind::form:
            return base::iequals(media_type(content_type), "application/x-www-form-urlencoded")
                       ? read_form_field(request.body, source_.name, value)
                       : Presence::absent;
        case SourceKind::multipart:
            return is_multipart_form(content_type) ? read_multipart_field(content_type, request.body, source_.name, value)
                                                   : Presence::absent;
        case SourceKind::path:
            if (parameter_ >= request.match.parameters.size()) {
                return Presence::absent;
            }
            value = request.match.parameters[parameter_];
            return Presence::present;
        case SourceKind::host:
            value = base::to_lower(head.host);
            return head.host.empty() ? Presence::absent : Presence::present;
        case SourceKind::tls_subject:
            return read_subject(request.client, value);
        case SourceKind::derived:
            value = request.derived;
            return Presence::present;
        case SourceKind::jwt:
            return read_claim(request, value);
    }
    return Presence::absent;
}

Presence SourceReader::read_json(const RequestView& request, std::string& value) const {
    if (request.body.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return Presence::absent;
    }
    thread_local JsonDocument document;
    auto presence = Presence::invalid;
    switch (document.parse(request.body)) {
        case JsonDocument::Parsed::fine:
            presence = read_pointer(document, pointer_, value);
            break;
        case JsonDocument::Parsed::invalid:
            presence = means_json(request) ? Presence::invalid : Presence::absent;
            break;
        case JsonDocument::Parsed::too_deep:
            break;
    }
    document.release();
    return presence;
}

Presence SourceReader::read_claim(const RequestView& request, std::string& value) const {
    std::string authorization;
    const auto header = read_header(request.head.headers, "Authorization", Repeats::refused, authorization);
    if (header != Presence::present) {
        return header;
    }
    const auto claims = bearer_claims(authorization);
    if (!claims) {
        return Presence::absent;
    }
    thread_local JsonDocument document;
    const auto parsed = document.parse(*claims);
    if (parsed != JsonDocument::Parsed::fine) {
        return parsed == JsonDocument::Parsed::too_deep ? Presence::invalid : Presence::absent;
    }
    return read_pointer(document, pointer_, value);
}

}  // namespace onceward::request
