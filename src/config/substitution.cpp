#include "config/substitution.hpp"

#include "config/source_file.hpp"
#include "config/text.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/base/file.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

namespace onceward::config {

namespace {

constexpr std::size_t secret_bytes_max = 64 * 1024;

bool is_name_char(char c, std::size_t position) {
    const char lower = base::to_lower(c);
    return c == '_' || (lower >= 'a' && lower <= 'z') || (position > 0 && base::is_digit(c));
}

struct Reference {
    std::string name;
    std::optional<std::string_view> fallback;
    std::size_t length = 0;
};

/// A reference at the start of `text`.
std::optional<Reference> parse_reference(std::string_view text) {
    if (text.substr(0, 2) != "${") {
        return std::nullopt;
    }
    std::size_t end = 2;
    while (end < text.size() && is_name_char(text[end], end - 2)) {
        ++end;
    }
    Reference reference{std::string(text.substr(2, end - 2)), std::nullopt, end + 1};
    if (reference.name.empty()) {
        return std::nullopt;
    }
    if (text.substr(end, 1) == "}") {
        return reference;
    }
    const auto close = text.find('}', end);
    if (text.substr(end, 2) != ":-" || close == std::string_view::npos) {
        return std::nullopt;
    }
    reference.fallback = text.substr(end + 2, close - end - 2);
    reference.length = close + 1;
    return reference;
}

}  // namespace

Parsed<std::string> substituted(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto reference = parse_reference(text.substr(i));
        if (!reference) {
            out += text[i++];
            continue;
        }
        // Nothing changes the environment of this process. NOLINTNEXTLINE(concurrency-mt-unsafe)
        const char* value = std::getenv(reference->name.c_str());
        if (reference->fallback && (value == nullptr || *value == '\0')) {
            out += *reference->fallback;
        } else if (value == nullptr) {
            return Complaint{"the environment variable " + reference->name +
                             " is not set: expected a value, or a default as in ${" + reference->name + ":-default}"};
        } else if (unprintable_at(value)) {
            return Complaint{"the environment variable " + reference->name + " holds bytes that are not printable UTF-8"};
        } else {
            out += value;
        }
        i += reference->length;
    }
    return out;
}

std::string escaped_for_substitution(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool reference = parse_reference(text.substr(i)).has_value();
        out += reference ? std::string_view("${ONCEWARD_DOLLAR_SIGN:-$}") : text.substr(i, 1);
    }
    return out;
}

void substitute(Node& node, const std::string& path, Report& report) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        substitute(node.items[i], path + "[" + std::to_string(i) + "]", report);
    }
    for (auto& member : node.members) {
        substitute(member.value, member_path(path, member.key), report);
    }
    if (node.kind != Node::Kind::scalar || node.text.find("${") == std::string::npos) {
        return;
    }
    auto result = substituted(node.text);
    if (const auto* complaint = std::get_if<Complaint>(&result)) {
        report.error(node.place, path, complaint->message);
    } else if (auto& value = std::get<std::string>(result); value != node.text) {
        node.text = std::move(value);
        node.style = Node::Style::substituted;
    }
}

Parsed<std::string> read_secret(const std::string& text, Report& report) {
    constexpr std::string_view scheme = "file:";
    if (text.compare(0, scheme.size(), scheme) != 0) {
        return text;
    }
    const auto path = report.directory() / text.substr(scheme.size());
    auto read = read_source(path.string(), secret_bytes_max);
    report.note_file(read.source);
    if (const auto* failure = std::get_if<base::FileFailure>(&read.text)) {
        const auto file = "the file " + shown(path.string());
        return Complaint{*failure == base::FileFailure::too_large
                             ? file + " is larger than " + std::to_string(secret_bytes_max) + " bytes"
                             : file + " can't be read: expected one that holds the secret"};
    }
    auto& secret = std::get<std::string>(read.text);
    for (const char end : {'\n', '\r'}) {
        if (!secret.empty() && secret.back() == end) {
            secret.pop_back();
        }
    }
    return std::move(secret);
}

}  // namespace onceward::config
