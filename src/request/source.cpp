#include "onceward/base/ascii.hpp"
#include "onceward/request/identify.hpp"
#include "request/json_document.hpp"

namespace onceward::request {

namespace {

using config::Source;
using config::SourceKind;

struct Prefix {
    std::string_view text;
    SourceKind kind;
};
constexpr Prefix prefixes[] = {{"header", SourceKind::header}, {"query", SourceKind::query},         {"json", SourceKind::json},
                               {"form", SourceKind::form},     {"multipart", SourceKind::multipart}, {"path", SourceKind::path},
                               {"jwt", SourceKind::jwt}};

// Why `name` can't be the name in a source of this kind; empty when it can.
std::string name_error(SourceKind kind, std::string_view name) {
    if (name.empty()) {
        return "a name is missing after the colon";
    }
    if (kind == SourceKind::header && !base::is_token(name)) {
        return "not a header name";
    }
    if (kind == SourceKind::json && !parse_json_pointer(name)) {
        return "not a JSON pointer: it begins with a slash, and ~ stands only in ~0 and ~1";
    }
    return {};
}

}  // namespace

std::variant<Source, std::string> parse_source(std::string_view text) {
    if (text == "host") {
        return Source{SourceKind::host, {}};
    }
    if (text == "derived") {
        return Source{SourceKind::derived, {}};
    }
    if (text == "tls:subject") {
        return Source{SourceKind::tls_subject, {}};
    }
    const auto colon = text.find(':');
    for (const auto& prefix : prefixes) {
        if (colon != std::string_view::npos && text.substr(0, colon) == prefix.text) {
            const auto name = text.substr(colon + 1);
            auto error = name_error(prefix.kind, name);
            if (!error.empty()) {
                return error;
            }
            return Source{prefix.kind, std::string(name)};
        }
    }
    return "expected header:Name, query:name, json:/pointer, form:field, multipart:field, path:name, host, "
           "tls:subject, derived or jwt:claim";
}

}  // namespace onceward::request
