#include "config/source_syntax.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/request/identify.hpp"

#include <array>

namespace onceward::config {

namespace {

struct PlainPart {
    std::string_view text;
    PartKind kind;
};
constexpr std::array plain_parts{PlainPart{"method", PartKind::method}, PlainPart{"path", PartKind::path},
                                 PlainPart{"query", PartKind::query}, PlainPart{"body", PartKind::body}};
constexpr std::string_view header_prefix = "header:";

Parsed<Source> parse_source(std::string_view text) {
    auto parsed = request::parse_source(text);
    if (const auto* reason = std::get_if<std::string>(&parsed)) {
        return Complaint{shown(text) + " can't be a source: " + *reason};
    }
    return std::get<Source>(std::move(parsed));
}

Parsed<Part> parse_part(std::string_view text) {
    for (const auto& part : plain_parts) {
        if (part.text == text) {
            return Part{part.kind, {}};
        }
    }
    if (text.substr(0, header_prefix.size()) == header_prefix && base::is_token(text.substr(header_prefix.size()))) {
        return Part{PartKind::header, std::string(text.substr(header_prefix.size()))};
    }
    return Complaint{shown(text) + " is not a part of a request: expected method, path, query, body or header:Name"};
}

Json write_part(const Part& part) {
    for (const auto& plain : plain_parts) {
        if (plain.kind == part.kind) {
            return Json(plain.text);
        }
    }
    return Json(std::string(header_prefix) + part.header);
}

std::optional<std::string> pointer_complaint(std::string_view text) {
    const auto as_source = request::parse_source("json:" + std::string(text));
    const bool valid = std::holds_alternative<Source>(as_source);
    return valid ? std::nullopt
                 : std::optional(shown(text) + " is not a JSON pointer: expected /name or /name/0, with ~0 for ~ and ~1 for /");
}

/// One alternative; a preset may give several.
void read_alternative(const Cursor& cursor, std::vector<SourceList>& alternatives) {
    SourceList joined;
    if (cursor.node.kind == Node::Kind::sequence) {
        source_list().read(cursor, joined);
        if (joined.empty()) {
            cursor.error("an empty list: expected at least one source");
        }
        alternatives.push_back(std::move(joined));
        return;
    }
    const auto preset = request::preset(as_text(cursor.node).value_or(""));
    if (preset) {
        alternatives.insert(alternatives.end(), preset->begin(), preset->end());
        return;
    }
    joined.emplace_back();
    source().read(cursor, joined.back());
    alternatives.push_back(std::move(joined));
}

void read_key_sources(const Cursor& cursor, std::vector<SourceList>& value) {
    std::vector<SourceList> alternatives;
    if (cursor.node.kind == Node::Kind::scalar) {
        const auto preset = request::preset(as_text(cursor.node).value_or(""));
        if (!preset) {
            cursor.mismatch("a list of sources, or the name of a preset such as stripe");
            return;
        }
        alternatives = *preset;
    } else if (cursor.node.kind != Node::Kind::sequence) {
        cursor.mismatch("a list of sources, such as [\"header:Idempotency-Key\"]");
        return;
    } else if (cursor.node.items.empty()) {
        cursor.error("an empty list: expected at least one source");
        return;
    }
    for (std::size_t i = 0; i < cursor.node.items.size(); ++i) {
        read_alternative(cursor.item(i), alternatives);
    }
    value = std::move(alternatives);
}

}  // namespace

Syntax<Source> source() {
    return text_syntax<Source>(
        "source", parse_source, [](const Source& value) { return Json(to_text(value)); },
        [] {
            return Json{{"type", "string"}};
        });
}

Syntax<SourceList> source_list() {
    return list_of(source(), Empty::allowed);
}

Syntax<std::vector<SourceList>> key_sources() {
    const auto joined = list_of(source(), Empty::refused);
    const auto schema = [joined] {
        const Json alternative{{"anyOf", Json::array({Json{{"type", "string"}}, joined.schema()})}};
        return Json{
            {"anyOf", Json::array({Json{{"type", "string"}}, Json{{"type", "array"}, {"items", alternative}, {"minItems", 1}}})}};
    };
    const auto write = [joined](const std::vector<SourceList>& value) {
        Json out = Json::array();
        for (const auto& alternative : value) {
            const auto written = joined.write(alternative);
            out.push_back(alternative.size() == 1 ? written[0] : written);
        }
        return out;
    };
    return {"list of sources or preset", schema, read_key_sources, write, {}};
}

Syntax<Part> part() {
    return text_syntax<Part>("part", parse_part, write_part, [] {
        return or_substituted({{"type", "string"}, {"pattern", "^(method|path|query|body|header:.+)$"}});
    });
}

Syntax<std::string> json_pointer() {
    return text("JSON pointer", pointer_complaint, "^/");
}

Syntax<std::string> header_name() {
    const auto complaint = [](std::string_view text) {
        return base::is_token(text) ? std::nullopt
                                    : std::optional(shown(text) + " is not a header name: expected a token such as Set-Cookie");
    };
    return text("header name", complaint, "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$");
}

bool names_the_client(const Source& source) {
    constexpr std::string_view family = "x-forwarded-";
    const auto name = base::to_lower(source.name);
    return source.kind == SourceKind::header && (name == "forwarded" || name.compare(0, family.size(), family) == 0);
}

}  // namespace onceward::config
