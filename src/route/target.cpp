#include "onceward/route/target.hpp"

#include "onceward/base/ascii.hpp"
#include "route/percent.hpp"

#include <array>
#include <cstddef>

namespace onceward::route {

namespace {

enum class Byte : std::uint8_t { unreserved, reserved, forbidden };

// RFC 3986 section 3.3: what may stand in a path segment as it is, and which of it may be decoded (section 2.3).
constexpr auto path_bytes = [] {
    std::array<Byte, 256> table{};
    table.fill(Byte::forbidden);
    for (const char c : std::string_view("!$&'()*+,;=:@")) {
        table[static_cast<unsigned char>(c)] = Byte::reserved;
    }
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")) {
        table[static_cast<unsigned char>(c)] = Byte::unreserved;
    }
    return table;
}();

Byte kind_of(char c) {
    return path_bytes[static_cast<unsigned char>(c)];
}

void append_normalised_text(std::string& out, std::string_view text, PathCase path_case) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        bool plain = kind_of(c) != Byte::forbidden;
        if (c == '%') {
            const int byte = escaped_byte(text, i);
            if (byte >= 0) {
                c = static_cast<char>(byte);
                plain = kind_of(c) == Byte::unreserved;
                i += 2;
            }
        }
        if (plain) {
            out.push_back(path_case == PathCase::folded ? base::to_lower(c) : c);
        } else {
            append_escape(out, static_cast<unsigned char>(c));
        }
    }
}

// Most paths: nothing to decode, to remove or to merge.
bool is_normal(std::string_view path) {
    char before = 'x';
    for (const char c : path) {
        const bool dot_or_run = before == '/' && (c == '.' || c == '/');
        if ((c != '/' && kind_of(c) == Byte::forbidden) || c == ';' || dot_or_run) {
            return false;
        }
        before = c;
    }
    return path.size() > 1 && path.front() == '/' && before != '/';
}

void remove_last_segment(std::string& out, std::size_t start) {
    const auto slash = out.rfind('/');
    out.resize(slash == std::string::npos || slash < start ? start : slash);
}

// Appends the segment with its slash, or takes the one before away.
void append_segment(std::string& out, std::size_t start, std::string_view segment, PathParameters parameters,
                    PathCase path_case) {
    const auto before = out.size();
    const auto name = segment.substr(0, segment.find(';'));
    out.push_back('/');
    append_normalised_text(out, name, path_case);
    const auto normal_name = std::string_view(out).substr(before + 1);
    const auto left = parameters == PathParameters::kept ? segment.substr(name.size()) : std::string_view{};
    if (normal_name == "." || normal_name == "..") {
        const bool up = normal_name.size() == 2;
        out.resize(before);
        if (up) {
            remove_last_segment(out, start);
        }
    } else if (normal_name.empty() && left.empty()) {
        out.resize(before);
    } else {
        append_normalised_text(out, left, path_case);
    }
}

}  // namespace

void fold_path(std::string& path, std::size_t start) {
    for (std::size_t i = start; i < path.size(); ++i) {
        if (path[i] == '%') {
            i += 2;
        } else {
            path[i] = base::to_lower(path[i]);
        }
    }
}

void append_normalised_path(std::string& out, std::string_view path, PathParameters parameters, PathCase path_case) {
    if (path == "*") {
        out.push_back('*');
        return;
    }
    const auto start = out.size();
    if (is_normal(path)) {
        out.append(path);
        if (path_case == PathCase::folded) {
            fold_path(out, start);
        }
        return;
    }
    while (!path.empty()) {
        const auto slash = path.find('/');
        append_segment(out, start, path.substr(0, slash), parameters, path_case);
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    }
    if (out.size() == start) {
        out.push_back('/');
    }
}

std::string normalised_target(std::string_view path, std::string_view query, PathCase path_case) {
    std::string target;
    append_normalised_path(target, path, PathParameters::kept, path_case);
    if (!query.empty()) {
        target.append("?").append(query);
    }
    return target;
}

}  // namespace onceward::route
